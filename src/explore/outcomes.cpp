// SPDX-License-Identifier: Apache-2.0
#include "explore/outcomes.h"

namespace treadle {

void Outcomes::collect(const Trace& trace) {
  if (trace.end.ending != TREADLE_END_COMPLETED) return;
  Outcome outcome;
  for (const Event& event : trace.events)
    if (event.kind == TREADLE_EV_OBSERVE) outcome[trace.texts[event.address]] = static_cast<std::int64_t>(event.value);
  distinct_.insert(std::move(outcome));
}

}  // namespace treadle
