// SPDX-License-Identifier: Apache-2.0
// A symbolic Trace as the concurrent trace program of Wang, Kundu, Ganai and Gupta (FM 2009): events ⟨thread, (assume(c), {v := e, …})⟩ and
// ⟨thread, (assert(c))⟩, and the same in concurrent static single assignment form, where each use of a shared variable is a π of the
// definitions it may see.
//
// What was read is in a local variable of the thread, r1, r2, …; a read that one condition right behind it uses, and nothing else, is
// written as the paper does: assume(x > b). Locks are semaphores of one, as in the paper.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace treadle {

/// The content of one event: what it uses and defines are events of the Trace.
struct GuardedAssignment {
  enum class Kind { Assume, Assert, Other };
  Kind kind = Kind::Assume;
  ThreadId thread{};
  std::uint64_t event = UINT64_MAX;  // UINT64_MAX: a condition on the way between two
  ExpressionId guard = 0;            // 0: true
  bool reads_inline = false;         // its event's read is no assignment: only the guard uses it
  const char* remark = "";           // why it is pinned, what lies beyond
  std::uint64_t pc = 0;
};

/// In the order of the execution. Notes of what a write left are part of its event.
std::vector<GuardedAssignment> guarded_assignments(const Trace& trace);

}  // namespace treadle
