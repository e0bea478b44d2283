// SPDX-License-Identifier: Apache-2.0
// What store buffers (TSO, PSO) have to do with an event.
#pragma once

#include "trace/trace.h"

namespace treadle {

/// A store that went into the buffer of its thread; a load that was served from there.
inline bool is_buffered(const Event& event) { return (event.order & TREADLE_ORDER_BUFFERED) != 0; }

/// Operations that do not wait for the store buffers of their thread to be empty.
inline bool passes_buffers(const Event& event) {
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_READ:
    case TREADLE_EV_ATOMIC_READ:
    case TREADLE_EV_SPIN:
      return true;
    case TREADLE_EV_WRITE:
    case TREADLE_EV_ATOMIC_WRITE:
      return is_buffered(event);
    case TREADLE_EV_FENCE:
      return (event.order & 7) != 5;
    default:
      return false;
  }
}

}  // namespace treadle
