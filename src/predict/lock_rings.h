// SPDX-License-Identifier: Apache-2.0
// Rings of locks: each of several threads waits for a lock that the next one holds. Found in the lock graph (an edge from each lock held to
// the lock wanted), where no further lock that all but one would have to give back first guards the ring, and creation and joining of
// threads do not order its waits.
#pragma once

#include <cstdint>
#include <vector>

#include "predict/lock_sets.h"
#include "predict/thread_order.h"

namespace treadle {

/// The operations that wait for each other, one for each thread.
struct LockRing {
  std::vector<std::uint32_t> waits;  // events that took the locks in the trace
};

/// Rings at the same places in the program are one bug.
struct RingGroup {
  std::vector<std::uint64_t> pcs;  // in ascending order
  std::vector<LockRing> rings;
};

struct RingCandidates {
  std::vector<RingGroup> groups;
  std::uint64_t left_out = 0;  // so many rings at least were not listed, because there are too many
};

RingCandidates lock_rings(const Trace& trace, const ThreadOrder& order, const LockSets& locks);

}  // namespace treadle
