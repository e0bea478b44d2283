// SPDX-License-Identifier: Apache-2.0
#include "solve/causal_queues.h"
#include "solve/unit_parts.h"

namespace treadle {
namespace {

constexpr std::uint64_t signalled = 0, timed_out = 1, cancelled = 3;

CausalQueues::Meaning meaning_of(const Trace& trace, const Units&, std::uint32_t number) {
  using Kind = CausalQueues::Meaning::Kind;
  using Why = CausalQueues::Meaning::Why;
  const Event& event = trace.events[number];
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_COND_WAIT:
      return {.kind = Kind::Begins};
    case TREADLE_EV_COND_WOKEN:
      return {.kind = Kind::Leaves,
              .why = event.extra == signalled   ? Why::Woken
                     : event.extra == timed_out ? Why::TimedOut
                                                : Why::ByItself};
    case TREADLE_EV_COND_SIGNAL:
      if (event.value == 0) return {.kind = Kind::Wakes};
      return {.kind = Kind::Wakes, .woken = ThreadId{static_cast<std::uint8_t>(event.value - 1)}};
    case TREADLE_EV_COND_BROADCAST:
      return {.kind = Kind::Wakes, .all = true};
    default:
      return {};
  }
}

}  // namespace

CausalConditions::CausalConditions(CausalFormula& formula, const Trace& trace) : CausalQueues(formula, trace, meaning_of) {}

void CausalConditions::find_unmodelled(const Trace& trace, Units& units) {
  for (std::uint32_t e = 0; e < trace.events.size(); ++e)
    if (trace.events[e].kind == TREADLE_EV_COND_WOKEN && trace.events[e].extra == cancelled && units.unit_of[e] != nothing)
      tell_unmodelled(units, units.unit_of[e], "cancellation");
}

}  // namespace treadle
