// SPDX-License-Identifier: Apache-2.0
// Iterations of spin loops that led nowhere: which decisions of the trace they were.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/trace.h"

namespace treadle {

/// The decisions of `thread` from `first` to `last`, both included. What others did in between is no part of it.
struct FruitlessIteration {
  unsigned thread = 0;
  std::uint32_t first = 0, last = 0;
  std::uint64_t steps = 0;
};

/// Was this decision the thread's own? What its store buffer does is not.
bool made_by(const Trace& trace, std::uint32_t choice, unsigned thread);

/// The iteration that ended with `event`. Nothing: that is no SPIN event of a recorded iteration, or it began before decision `earliest`.
std::optional<FruitlessIteration> iteration_ended_by(const Trace& trace, const Event& event, std::uint32_t earliest = 0);

/// Does the thread stand behind a fruitless iteration at the end of the execution? What it read may have changed since, without its having
/// looked again.
bool stands_in_loop(const PendingOperation& pending);

/// The execution was given up: whoever took the last step of its prefix went round in vain with it, and then no more (TREADLE_SPINS_STOP).
bool stopped_in_vain(const Trace& trace);

/// The iteration behind which a thread stands still; it may have no steps.
FruitlessIteration iteration_at_the_end(const Trace& trace, unsigned thread);

/// In the order in which they ended; an inner loop's before that of the loop around it.
std::vector<FruitlessIteration> all_fruitless_iterations(const Trace& trace);

}  // namespace treadle
