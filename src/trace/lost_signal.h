// SPDX-License-Identifier: Apache-2.0
// The signal that a thread missed, which waits on a condition variable for ever.
#pragma once

#include <cstdint>
#include <span>

#include "trace/trace.h"

namespace treadle {

inline bool is_signal(const Event& event) { return event.kind == TREADLE_EV_COND_SIGNAL || event.kind == TREADLE_EV_COND_BROADCAST; }

/// The last signal by another thread that woke nobody, before this thread's last wait began; UINT64_MAX: none. When the waiter left its
/// critical section in between, it came back knowing what the signal was about (a consumer that found the queue filled): such a signal was
/// not lost.
inline std::uint64_t lost_signal(std::span<const Event> events, ThreadId waiter, std::uint64_t condition) {
  std::uint64_t wait = UINT64_MAX;
  for (std::uint64_t i = events.size(); i-- > 0;) {
    const Event& event = events[i];
    const bool is_own = event.thread == index_of(waiter);
    if (wait == UINT64_MAX) {
      if (is_own && event.kind == TREADLE_EV_COND_WAIT && event.address == condition) wait = i;
    } else if (is_own) {
      const bool leaves = event.kind == TREADLE_EV_COND_WAIT || (event.kind == TREADLE_EV_UNLOCK && event.address == events[wait].value);
      if (leaves) return UINT64_MAX;
    } else if (event.address == condition && event.value == 0 && is_signal(event)) {
      return i;
    }
  }
  return UINT64_MAX;
}

}  // namespace treadle
