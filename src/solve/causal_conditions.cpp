// SPDX-License-Identifier: Apache-2.0
#include "solve/causal_conditions.h"

#include <algorithm>

#include "solve/unit_parts.h"

namespace treadle {
namespace {

constexpr std::uint64_t signalled = 0, timed_out = 1, cancelled = 3;

}  // namespace

void CausalConditions::find_unmodelled(const Trace& trace, Units& units) {
  for (std::uint32_t e = 0; e < trace.events.size(); ++e)
    if (trace.events[e].kind == TREADLE_EV_COND_WOKEN && trace.events[e].extra == cancelled && units.unit_of[e] != nothing)
      tell_unmodelled(units, units.unit_of[e], "cancellation");
}

CausalConditions::CausalConditions(CausalFormula& formula, const Trace& trace) : formula_(formula), trace_(trace) {
  for (UnitId u = 0; u < formula_.size(); ++u)
    if (!formula_.unit(u).left_out)
      for (const std::uint32_t event : formula_.unit(u).syncs) take_in(u, trace_.events[event]);
  if (!woken_.empty()) find_ways_out(trace);
}

void CausalConditions::take_in(UnitId unit, const Event& event) {
  const auto condition_of = [&]() -> Condition& { return conditions_[event.address]; };
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_COND_WAIT: {
      Condition& condition = condition_of();
      condition.waiting.push_back(condition.waits.size());
      condition.waits.push_back({unit, nothing, ThreadId{event.thread}, false, DecisionKind::Step, {}});
      return;
    }
    case TREADLE_EV_COND_WOKEN: {
      Condition& condition = condition_of();
      for (std::size_t w = condition.waits.size(); w-- > 0;) {
        Wait& wait = condition.waits[w];
        if (index_of(wait.thread) != event.thread) continue;
        wait.woken = unit;
        wait.signalled = event.extra == signalled;
        if (!wait.signalled) wait.way_out = event.extra == timed_out ? DecisionKind::Timeout : DecisionKind::Spurious;
        std::erase(condition.waiting, w);
        woken_[unit] = {event.address, w};
        return;
      }
      return;
    }
    case TREADLE_EV_COND_SIGNAL:
    case TREADLE_EV_COND_BROADCAST: {
      Condition& condition = condition_of();
      const bool all = event.kind == TREADLE_EV_COND_BROADCAST;
      Signal signal{unit, all, {}};
      for (const std::size_t w : condition.waiting)
        if (all || index_of(condition.waits[w].thread) + 1 == event.value) signal.woke.push_back(w);
      for (const std::size_t w : signal.woke) std::erase(condition.waiting, w);
      signals_[unit] = {event.address, condition.signals.size()};
      condition.signals.push_back(std::move(signal));
      return;
    }
    default:
      return;
  }
}

/// Whether a wait could have ended by itself stands among the alternatives, where they were recorded.
void CausalConditions::find_ways_out(const Trace& trace) {
  std::unordered_map<unsigned, std::vector<Wait*>> by_thread;
  for (auto& [address, condition] : conditions_)
    for (Wait& wait : condition.waits)
      if (wait.woken != nothing && wait.signalled) by_thread[index_of(wait.thread)].push_back(&wait);
  for (std::uint32_t c = 0; c < trace.choices.size(); ++c) {
    const Choice& choice = trace.choices[c];
    for (const Decision& d : std::span(trace.alternatives).subspan(choice.first_alternative, choice.alternatives)) {
      if (d.kind != DecisionKind::Timeout && d.kind != DecisionKind::Spurious) continue;
      for (Wait* wait : by_thread[index_of(d.thread)])
        if (formula_.unit(wait->begins).choice < c && c <= formula_.unit(wait->woken).choice && wait->way_out != DecisionKind::Timeout)
          wait->way_out = d.kind;
    }
  }
}

void CausalConditions::encode() {
  for (auto& [address, condition] : conditions_) {
    for (std::size_t w = 0; w < condition.waits.size(); ++w) encode_who(condition, w);
    for (std::size_t s = 0; s < condition.signals.size(); ++s) encode_signal(condition, s);
    for (const Wait& wait : condition.waits) {
      if (wait.woken == nothing || formula_.in_prefix(wait.woken)) continue;
      // Without another way out nobody gets there but by a signal.
      const Truth when = wait.way_out == DecisionKind::Step ? formula_.reached(wait.woken) : formula_.happens(wait.woken);
      formula_.clause({~when, as_recorded(wait.woken)});
    }
  }
}

/// Which signal wakes it: at most one.
void CausalConditions::encode_who(Condition& condition, std::size_t w) {
  Wait& wait = condition.waits[w];
  for (std::size_t s = 0; s < condition.signals.size(); ++s) {
    const Signal& signal = condition.signals[s];
    if (formula_.in_prefix(signal.unit)) {
      wait.by.emplace_back(std::find(signal.woke.begin(), signal.woke.end(), w) != signal.woke.end());
      continue;
    }
    const bool gone = wait.woken != nothing && formula_.in_prefix(wait.woken);
    if (gone || signal.unit == wait.begins || formula_.must_precede(signal.unit, wait.begins)) {
      wait.by.emplace_back(false);
      continue;
    }
    const Truth wakes = formula_.open();
    formula_.clause({~wakes, formula_.happens(signal.unit)});
    formula_.clause({~wakes, formula_.happens(wait.begins)});
    formula_.clause({~wakes, formula_.before(wait.begins, signal.unit)});
    for (const Truth& other : wait.by) formula_.clause({~wakes, ~other});
    wait.by.push_back(wakes);
  }
}

void CausalConditions::encode_signal(Condition& condition, std::size_t s) {
  const Signal& signal = condition.signals[s];
  if (formula_.in_prefix(signal.unit)) return;
  std::vector<Truth> anybody;
  for (const Wait& wait : condition.waits) {
    for (const Truth& other : anybody)
      if (!signal.all) formula_.clause({~wait.by[s], ~other});
    anybody.push_back(wait.by[s]);
  }
  for (const Wait& wait : condition.waits) {
    if (formula_.must_precede(signal.unit, wait.begins)) continue;
    std::vector<Truth> ways{~formula_.happens(signal.unit), ~formula_.happens(wait.begins), formula_.before(signal.unit, wait.begins),
                            has_left(condition, wait, s)};
    if (signal.all)
      ways.push_back(wait.by[s]);
    else
      ways.insert(ways.end(), anybody.begin(), anybody.end());
    formula_.clause(ways);
  }
}

/// Woken by an earlier signal, or gone by itself.
Truth CausalConditions::has_left(const Condition& condition, const Wait& wait, std::size_t s) {
  const UnitId signal = condition.signals[s].unit;
  std::vector<Truth> ways;
  const Truth left = formula_.open();
  const auto add = [&](Truth happened, UnitId unit) {
    if (happened.is_false() || unit == signal) return;
    const Truth earlier = formula_.before(unit, signal);
    if (earlier.is_false()) return;
    const Truth way = formula_.open();
    formula_.clause({~way, happened});
    formula_.clause({~way, earlier});
    ways.push_back(way);
  };
  for (std::size_t other = 0; other < condition.signals.size(); ++other) add(wait.by[other], condition.signals[other].unit);
  if (wait.woken != nothing && !wait.signalled) add(formula_.happens(wait.woken), wait.woken);
  ways.push_back(~left);
  formula_.clause(ways);
  return left;
}

Truth CausalConditions::is_signalled(const Condition& condition, const Wait& wait) {
  const Truth result = formula_.open();
  std::vector<Truth> ways{~result};
  for (std::size_t s = 0; s < condition.signals.size(); ++s) {
    if (wait.by[s].is_false()) continue;
    ways.push_back(wait.by[s]);
    formula_.clause({~result, ~wait.by[s], formula_.before(condition.signals[s].unit, wait.woken)});
  }
  formula_.clause(ways);
  return result;
}

/// It is still waiting: no signal has chosen it, nor will.
Truth CausalConditions::is_not_signalled(const Condition& condition, const Wait& wait) {
  const Truth result = formula_.open();
  for (std::size_t s = 0; s < condition.signals.size(); ++s)
    formula_.clause({~result, ~wait.by[s], formula_.before(wait.woken, condition.signals[s].unit)});
  return result;
}

Truth CausalConditions::as_recorded(UnitId unit) {
  const auto found = woken_.find(unit);
  if (found == woken_.end() || formula_.in_prefix(unit)) return true;
  if (const auto known = recorded_.find(unit); known != recorded_.end()) return known->second;
  const Condition& condition = conditions_.at(found->second.object);
  const Wait& wait = condition.waits[found->second.wait];
  const Truth result = wait.signalled ? is_signalled(condition, wait) : is_not_signalled(condition, wait);
  if (!wait.signalled)  // who has gone is not woken any more
    for (const Truth& by : wait.by) formula_.clause({~formula_.happens(unit), ~by});
  recorded_.emplace(unit, result);
  formula_.clause({~result, formula_.reached(unit)});
  return result;
}

std::vector<OtherResult> CausalConditions::other_results() const {
  std::vector<OtherResult> all;
  for (const auto& [unit, place] : woken_) {
    const Wait& wait = conditions_.at(place.object).waits[place.wait];
    if (wait.way_out == DecisionKind::Step || formula_.in_prefix(unit) || formula_.is_cut_off(unit)) continue;
    all.push_back({unit, wait.signalled ? wait.way_out : DecisionKind::Step, 0});
  }
  return all;
}

Truth CausalConditions::can_be(const OtherResult& other) {
  const Place& place = woken_.at(other.unit);
  const Condition& condition = conditions_.at(place.object);
  const Wait& wait = condition.waits[place.wait];
  return wait.signalled ? is_not_signalled(condition, wait) : is_signalled(condition, wait);
}

bool CausalConditions::waits(UnitId unit) const {
  const auto found = woken_.find(unit);
  return found != woken_.end() && conditions_.at(found->second.object).waits[found->second.wait].way_out == DecisionKind::Step;
}

/// No signal chooses it.
Truth CausalConditions::is_stuck(UnitId unit) {
  const Place& place = woken_.at(unit);
  const Truth stuck = formula_.open();
  for (const Truth& by : conditions_.at(place.object).waits[place.wait].by) formula_.clause({~stuck, ~by});
  return stuck;
}

void CausalConditions::close(Past& past) const {
  for (const auto& [address, condition] : conditions_) {
    for (const Wait& wait : condition.waits)
      for (std::size_t s = 0; s < condition.signals.size(); ++s) {
        if (!formula_.holds(wait.by[s])) continue;
        const Signal& signal = condition.signals[s];
        if (wait.woken != nothing && past.includes(wait.woken) && formula_.came_first(signal.unit, wait.woken)) past.include(signal.unit);
        if (past.includes(signal.unit) && !signal.all) past.include(wait.begins);
      }
    // A signal that woke nobody: those who had been woken before still have been.
    for (std::size_t s = 0; s < condition.signals.size(); ++s) {
      const Signal& signal = condition.signals[s];
      if (!past.includes(signal.unit) || signal.all) continue;
      if (std::any_of(condition.waits.begin(), condition.waits.end(), [&](const Wait& w) { return formula_.holds(w.by[s]); })) continue;
      for (const Wait& wait : condition.waits) {
        const bool there = past.includes(wait.begins) || formula_.in_prefix(wait.begins);
        if (!there || !formula_.came_first(wait.begins, signal.unit)) continue;
        for (std::size_t other = 0; other < condition.signals.size(); ++other)
          if (formula_.holds(wait.by[other]) && formula_.came_first(condition.signals[other].unit, signal.unit))
            past.include(condition.signals[other].unit);
        if (wait.woken != nothing && !wait.signalled && formula_.did_happen(wait.woken) && formula_.came_first(wait.woken, signal.unit))
          past.include(wait.woken);
      }
    }
  }
}

void CausalConditions::decide(UnitId unit, const Past& past, std::vector<Decision>& decisions) const {
  const auto found = signals_.find(unit);
  if (found == signals_.end()) return;
  const Condition& condition = conditions_.at(found->second.object);
  if (condition.signals[found->second.wait].all || decisions.size() != 1) return;
  decisions[0].kind = past.is_target(unit) ? DecisionKind::Any : DecisionKind::Step;  // made last: whom it wakes is all the same
  decisions[0].argument = 0;
  for (const Wait& wait : condition.waits)
    if (formula_.holds(wait.by[found->second.wait])) {
      decisions[0].kind = DecisionKind::Wake;
      decisions[0].argument = static_cast<std::uint16_t>(index_of(wait.thread));
    }
}

}  // namespace treadle
