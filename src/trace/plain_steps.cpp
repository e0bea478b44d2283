// SPDX-License-Identifier: Apache-2.0
#include "trace/plain_steps.h"

#include "trace/marked_decisions.h"

namespace treadle {

Trace with_plain_steps(const Trace& trace) {
  Trace out = trace;
  out.choices.clear();
  out.alternatives.clear();
  std::size_t event = 0;
  for (std::uint32_t step = 0; step < trace.choices.size(); ++step) {
    bool made = false;
    for (; event < trace.events.size() && trace.events[event].step <= step; ++event) {
      const auto kind = static_cast<EventKind>(trace.events[event].kind);
      if (is_visible(kind, Races::Stop) && !made) {
        out.choices.push_back({trace.choices[step].taken});
        made = true;
      } else if (is_visible(kind, Races::Explore) && !is_visible(kind, Races::Stop)) {
        out.choices.push_back({{DecisionKind::Step, ThreadId{trace.events[event].thread}, 0}});
        set_mark(out.choices.back(), Mark::Plain);
      }
      out.events[event].step = out.choices.empty() ? 0 : static_cast<std::uint32_t>(out.choices.size() - 1);
    }
    if (!made) out.choices.push_back({trace.choices[step].taken});
  }
  return out;
}

}  // namespace treadle
