// SPDX-License-Identifier: Apache-2.0
#include "explore/outcomes.h"

namespace treadle {

std::optional<Outcome> outcome_of(const Trace& trace) {
  if (trace.end.ending != TREADLE_END_COMPLETED) return std::nullopt;
  Outcome outcome;
  for (const Event& event : trace.events)
    if (event.kind == TREADLE_EV_OBSERVE) outcome[trace.texts[event.address]] = static_cast<std::int64_t>(event.value);
  return outcome;
}

}  // namespace treadle
