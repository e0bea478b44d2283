// SPDX-License-Identifier: Apache-2.0
// What an operation touches: the dependence relation of partial order reduction, one kind of event after another (docs/strategies.md).
#pragma once

#include <cstdint>

#include "explore/transition.h"
#include "trace/trace.h"

namespace treadle {

/// Adds what `event` touches. `waiting`: the threads that wait for a condition variable, by its address; a broadcast touches them all.
/// `buffers`: stores go through buffers.
template <class Waiting>
void add_touches(const Event& event, bool timed_out, bool buffers, const Waiting& waiting, Action& out);

/// The same for all kinds but a broadcast, and but for what freeing a block does to what is on its way there.
void add_touches_of(const Event& event, bool timed_out, Action& out);
Access block_freed(const Event& event);

template <class Waiting>
void add_touches(const Event& event, bool timed_out, bool buffers, const Waiting& waiting, Action& out) {
  add_touches_of(event, timed_out, out);
  if (buffers && event.kind == TREADLE_EV_FREE) out.accesses.add(block_freed(event));
  if (event.kind == TREADLE_EV_COND_BROADCAST && event.value > 0)
    waiting(event.address, [&](unsigned thread) { out.accesses.add({thread, 1, Space::Waiter, true}); });
}

}  // namespace treadle
