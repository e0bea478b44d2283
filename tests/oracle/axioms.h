// SPDX-License-Identifier: Apache-2.0
// A third opinion, for straight-line programs: the same memory models as predicates on execution graphs instead of store buffers.
// The interpreter is tested against it; nothing else uses it.
//
// An execution is: for each read the write it reads from (rf), for each variable an order of its writes (co); fr is the order of a read
// before the writes that overwrite what it read. It is allowed when
//   po restricted to one variable, with rf, co and fr, has no cycle            (coherence)
//   nothing comes between a read-modify-write's read and its write             (atomicity)
//   the model's preserved program order, with rf between threads, co and fr, has no cycle
// Preserved program order: SC everything. TSO everything but store → later load. PSO also without store → later store, unless the later one
// is a release store or a release fence lies between. A seq_cst fence, a read-modify-write (also one that fails) and a seq_cst store are
// ordered with everything before and after them.
#pragma once

#include <set>

#include "interpret.h"
#include "program.h"

namespace oracle {

/// Can it be judged? Only loads, stores, read-modify-writes and fences in the threads, main only creates and joins.
bool is_straight_line(const Program& program);

std::set<Outcome> outcomes_by_axioms(const Program& program, Model model);

}  // namespace oracle
