// SPDX-License-Identifier: Apache-2.0
// Pairs of accesses that might race: they conflict, are not both atomic, no common lock keeps them apart and creation and joining of
// threads do not order them. One group for each pair of places in the program: a race there is one bug, however often it happens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "predict/locations.h"
#include "predict/lock_sets.h"
#include "predict/thread_order.h"

namespace treadle {

struct RacePair {
  std::uint32_t first = 0, second = 0;  // events, in the order of the trace
};

struct RaceGroup {
  std::uint64_t pcs[2] = {};    // the lower one first
  std::vector<RacePair> pairs;  // nearest first
  std::uint64_t left_out = 0;   // pairs that are not listed, because there are too many
};

std::vector<RaceGroup> race_candidates(const Trace& trace, std::span<const Location> locations, const ThreadOrder& order,
                                       const LockSets& locks);

}  // namespace treadle
