// SPDX-License-Identifier: Apache-2.0
// An execution in which a thread went round a spin loop in vain, seen as one in which it goes into that iteration and no further.
//
// Iterations that change nothing are no part of a path, but somebody may leave the loop in the middle of one: these turns are on no
// thread's way unless it is followed there. That an iteration changes nothing is known of one that reads what this one read; so its reads
// are pinned behind it, and whether it would have changed something with others is a question like any other.
#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace treadle {

struct FollowedIteration {
  Trace trace;               // what its thread does behind the iteration is put aside (marked_decisions.h)
  std::uint32_t thread = 0;  // who is followed
  std::uint32_t first = 0;   // the decision with which the iteration begins
  std::uint32_t pins = 0;    // notes behind it that are not of the program
  std::uint32_t behind = 0;  // the event behind it: where these stand
  std::uint64_t pc = 0;      // where it goes round
};

/// `which`: of all_fruitless_iterations(), from 1.
FollowedIteration followed_along(const Trace& trace, std::uint32_t which, MemoryModel model, Races races);

}  // namespace treadle
