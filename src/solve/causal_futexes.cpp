// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "abi/futex.h"
#include "solve/causal_queues.h"
#include "solve/unit_parts.h"

namespace treadle {
namespace {

/// Whom a call that wakes one has chosen, if anybody. Who comes to his next step says it; else it is the decision that does.
std::optional<ThreadId> chosen_by(const Trace& trace, const Units& units, std::uint32_t number) {
  if (trace.events[number].value == 0 || units.unit_of[number] == nothing) return std::nullopt;
  for (std::uint32_t e = number + 1; e < trace.events.size(); ++e)
    if (trace.events[e].kind == TREADLE_EV_FUTEX_WOKEN && trace.events[e].value == std::uint64_t{number} + 1)
      return ThreadId{trace.events[e].thread};
  const Decision& last = units.all[units.unit_of[number]].decisions.back();
  if (last.kind != DecisionKind::Wake) return std::nullopt;
  return ThreadId{static_cast<std::uint8_t>(last.argument)};
}

std::uint32_t most_of(const Event& wake) { return static_cast<std::uint32_t>(wake.extra); }

CausalQueues::Meaning meaning_of(const Trace& trace, const Units& units, std::uint32_t number) {
  using Kind = CausalQueues::Meaning::Kind;
  using Why = CausalQueues::Meaning::Why;
  const Event& event = trace.events[number];
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_FUTEX_WAIT:
      return {.kind = event.extra == 0 ? Kind::Begins : Kind::Nothing};
    case TREADLE_EV_FUTEX_WOKEN:
      return {.kind = Kind::Leaves, .why = event.extra != 0 ? Why::TimedOut : event.value == 0 ? Why::ByItself : Why::Woken};
    case TREADLE_EV_FUTEX_WAKE: {
      CausalQueues::Meaning meaning{.kind = Kind::Wakes, .all = most_of(event) > 1};
      if (!meaning.all) meaning.woken = chosen_by(trace, units, number);
      if (event.size != 1) meaning.counts = static_cast<std::uint32_t>(event.value);
      return meaning;
    }
    default:
      return {};
  }
}

}  // namespace

CausalFutexes::CausalFutexes(CausalFormula& formula, const Trace& trace) : CausalQueues(formula, trace, meaning_of) {}

/// One that wakes several, but not all who might wait, depends on the order in which they came.
void CausalFutexes::find_unmodelled(const Trace& trace, Units& units) {
  std::map<std::uint64_t, std::set<unsigned>> sleepers;
  for (const Event& event : trace.events)
    if (event.kind == TREADLE_EV_FUTEX_WAIT && event.extra == 0) sleepers[event.address].insert(event.thread);
  for (std::uint32_t e = 0; e < trace.events.size(); ++e) {
    const Event& event = trace.events[e];
    if (event.kind != TREADLE_EV_FUTEX_WAKE || units.unit_of[e] == nothing || units.all[units.unit_of[e]].left_out) continue;
    if ((event.extra & TREADLE_FUTEX_REQUEUES) != 0) tell_unmodelled(units, units.unit_of[e], "a futex call that moves sleepers elsewhere");
    if ((event.extra & TREADLE_FUTEX_SOME_BITS) != 0) tell_unmodelled(units, units.unit_of[e], "a futex call that wakes by bits");
    if (most_of(event) == 0) tell_unmodelled(units, units.unit_of[e], "a futex call that wakes nobody");
    auto others = sleepers[event.address];
    others.erase(event.thread);
    if (most_of(event) > 1 && most_of(event) < others.size())
      tell_unmodelled(units, units.unit_of[e], "a futex call that wakes some of the sleepers");
  }
}

}  // namespace treadle
