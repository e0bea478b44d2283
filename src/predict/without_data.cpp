// SPDX-License-Identifier: Apache-2.0
#include "predict/without_data.h"

#include "trace/happens_before.h"

namespace treadle {

Trace without_data(const Trace& trace) {
  Trace out = trace;
  out.expressions.clear();
  out.notes.clear();
  for (Event& event : out.events) {
    const auto kind = static_cast<EventKind>(event.kind);
    // A range has values that nobody knows: here it is one more value like all the others.
    if (kind == TREADLE_EV_RANGE_READ || kind == TREADLE_EV_RANGE_WRITE) {
      event.kind = kind == TREADLE_EV_RANGE_READ ? TREADLE_EV_READ : TREADLE_EV_WRITE;
      event.size = static_cast<std::uint8_t>(event.extra < 8 ? event.extra : 8);
    }
    if (kind == TREADLE_EV_ALLOC || kind == TREADLE_EV_FREE) event.kind = TREADLE_EV_NONE;  // leave unknown values too
    if (reads_memory(kind) || writes_memory(kind)) event.value = 0;
    if ((reads_memory(kind) || writes_memory(kind)) && kind != TREADLE_EV_FUTEX_WAIT) event.extra = 0;  // there: whether it slept
  }
  return out;
}

}  // namespace treadle
