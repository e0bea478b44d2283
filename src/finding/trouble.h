// SPDX-License-Identifier: Apache-2.0
// The places in a Trace that show something wrong, found without symbols: what a search looks at in every execution.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace treadle {

/// Stands for the end of the execution among event numbers.
inline constexpr std::uint64_t kTheEnd = UINT64_MAX;

/// Under this number the runtime adds the stacks of threads that are blocked in a standstill.
inline constexpr std::uint64_t kBlocked = UINT64_MAX - 1;

struct Trouble {
  std::uint64_t event = kTheEnd;
  std::uint64_t key = 0;   // kinds and pcs
  std::uint64_t fine = 0;  // addresses too: tells apart what the same library function does to different objects
};

/// The end first, when it is trouble; then TROUBLE events in order.
std::vector<Trouble> troubles_of(const Trace& trace);

/// Does the way the execution ended show a bug of the program?
bool ends_in_trouble(const Trace& trace);

/// Did the execution come to an end of its own, good or bad? Of one that was cut off nobody knows what would have followed.
bool ran_to_its_end(Ending ending);

/// The stack of the end, or null.
const Stack* stack_of_end(const Trace& trace);

/// The thread's last visible operation, whether or not plain accesses were recorded; kTheEnd when it made none.
std::uint64_t last_visible_event(const Trace& trace, ThreadId thread);

/// In an execution that ran into the time limit: was it one thread that made no more steps? An execution makes millions of steps in a
/// second, so one that is over time after a few hundred was not slow at steps: it stopped making them.
bool stopped_making_steps(const Trace& trace);

}  // namespace treadle
