// SPDX-License-Identifier: Apache-2.0
#include "solve/causal_meetings.h"

#include <algorithm>
#include <set>

#include "solve/unit_parts.h"

namespace treadle {

void CausalMeetings::find_unmodelled(const Trace& trace, Units& units) {
  std::map<std::uint64_t, std::uint64_t> parties;
  std::map<std::uint64_t, std::set<unsigned>> users;
  std::map<std::uint64_t, std::set<unsigned>> runners;
  for (std::uint32_t e = 0; e < trace.events.size(); ++e) {
    const Event& event = trace.events[e];
    if (units.unit_of[e] == nothing) continue;
    if (event.kind == TREADLE_EV_BARRIER_INIT) parties[event.address] = event.value;
    if (event.kind == TREADLE_EV_BARRIER_ARRIVE) {
      users[event.address].insert(event.thread);
      if (!parties.contains(event.address) || users[event.address].size() > parties[event.address])
        tell_unmodelled(units, units.unit_of[e], "a barrier that more threads use than it waits for");
    }
    if (event.kind == TREADLE_EV_ONCE_BEGIN && event.value == 1) {
      runners[event.address].insert(event.thread);
      if (runners[event.address].size() > 1) tell_unmodelled(units, units.unit_of[e], "an initialiser that is tried several times");
    }
  }
}

CausalMeetings::CausalMeetings(CausalFormula& formula, const Trace& trace) : formula_(formula) {
  std::unordered_map<std::uint64_t, UnitId> ended;  // by thread
  for (UnitId u = 0; u < formula_.size(); ++u) {
    bool arrives = false;
    for (const std::uint32_t number : formula_.unit(u).syncs) {
      const Event& event = trace.events[number];
      // Who is followed into a spin loop and no further does not end, but others wait for that.
      if (formula_.unit(u).left_out && event.kind != TREADLE_EV_THREAD_EXIT) continue;
      switch (static_cast<EventKind>(event.kind)) {
        case TREADLE_EV_BARRIER_ARRIVE:
          rounds_[{event.address, event.extra}].arrivals.push_back(u);
          if (event.size == 0) arrives_in_[u] = &rounds_[{event.address, event.extra}];
          arrives = true;
          break;
        case TREADLE_EV_BARRIER_LEAVE:
          rounds_[{event.address, event.extra}].complete = true;
          (arrives ? rounds_[{event.address, event.extra}].last = u : rounds_[{event.address, event.extra}].leavings.emplace_back(u));
          break;
        case TREADLE_EV_ONCE_BEGIN:
          if (event.value == 1)
            onces_[event.address].begin = u;
          else
            onces_[event.address].found_done.push_back(u);
          break;
        case TREADLE_EV_THREAD_EXIT:
          ended[event.thread] = u;
          break;
        case TREADLE_EV_THREAD_JOIN:
          if (const auto end = ended.find(event.value); end != ended.end() && number == formula_.unit(u).event) joins_[u] = end->second;
          break;
        case TREADLE_EV_ONCE_END:
          onces_[event.address].end = u;
          break;
        default:
          break;
      }
    }
  }
  for (const auto& [key, round] : rounds_)
    for (const UnitId u : round.leavings) leaves_[u] = &round;
  for (const auto& [key, once] : onces_) {
    if (once.begin != nothing) asks_[once.begin] = &once;
    for (const UnitId u : once.found_done) asks_[u] = &once;
  }
}

void CausalMeetings::encode() {
  for (const auto& [key, round] : rounds_) {
    for (const UnitId leaving : round.leavings)
      for (const UnitId arrival : round.arrivals) {
        formula_.clause({~formula_.reached(leaving), formula_.happens(arrival)});
        formula_.clause({~formula_.reached(leaving), formula_.before(arrival, leaving)});
      }
    for (const UnitId arrival : round.arrivals) formula_.clause({~formula_.happens(arrival), as_recorded(arrival)});
  }
  for (const auto& [address, once] : onces_) {
    if (once.begin != nothing) formula_.clause({~formula_.happens(once.begin), as_recorded(once.begin)});
    for (const UnitId u : once.found_done) formula_.clause({~formula_.happens(u), as_recorded(u)});
  }
}

Truth CausalMeetings::is_last(UnitId unit, const Round& round) {
  const Truth last = formula_.open();
  for (const UnitId other : round.arrivals) {
    if (other == unit) continue;
    formula_.clause({~last, formula_.happens(other)});
    formula_.clause({~last, formula_.before(other, unit)});
  }
  return last;
}

Truth CausalMeetings::is_not_last(UnitId unit, const Round& round) {
  const Truth not_last = formula_.open();
  if (!round.complete) return not_last;  // somebody was missing, and is
  std::vector<Truth> ways{~not_last};
  for (const UnitId other : round.arrivals) {
    if (other == unit) continue;
    ways.push_back(~formula_.happens(other));
    ways.push_back(formula_.before(unit, other));
  }
  formula_.clause(ways);
  return not_last;
}

/// Nobody else has begun.
Truth CausalMeetings::runs_it(UnitId unit, const Once& once) {
  const Truth first = formula_.open();
  if (once.begin != nothing && once.begin != unit)
    formula_.clause({~first, ~formula_.happens(once.begin), formula_.before(unit, once.begin)});
  return first;
}

Truth CausalMeetings::as_recorded(UnitId unit) {
  const auto arrives = arrives_in_.find(unit);
  const auto asks = asks_.find(unit);
  if ((arrives == arrives_in_.end() && asks == asks_.end()) || formula_.in_prefix(unit)) return true;
  if (const auto known = recorded_.find(unit); known != recorded_.end()) return known->second;
  Truth result = formula_.open();
  if (arrives != arrives_in_.end()) {
    result = arrives->second->last == unit ? is_last(unit, *arrives->second) : is_not_last(unit, *arrives->second);
  } else {
    const Once& once = *asks->second;
    if (once.begin == unit) {
      result = runs_it(unit, once);
    } else if (once.end != nothing) {  // it was done
      formula_.clause({~result, formula_.happens(once.end)});
      formula_.clause({~result, formula_.before(once.end, unit)});
    }  // else it was done before all this began
  }
  recorded_.emplace(unit, result);
  formula_.clause({~result, formula_.reached(unit)});
  return result;
}

std::vector<OtherResult> CausalMeetings::other_results() const {
  std::vector<OtherResult> all;
  const auto add = [&](UnitId unit) {
    if (!formula_.in_prefix(unit) && !formula_.is_cut_off(unit)) all.push_back({unit, DecisionKind::Step, 0});
  };
  for (const auto& [key, round] : rounds_)
    for (const UnitId u : round.arrivals)
      if (round.complete && arrives_in_.contains(u)) add(u);
  for (const auto& [address, once] : onces_) {
    if (once.begin == nothing || once.end == nothing) continue;
    for (const UnitId u : once.found_done) add(u);
  }
  return all;
}

Truth CausalMeetings::can_be(const OtherResult& other) {
  if (const auto arrives = arrives_in_.find(other.unit); arrives != arrives_in_.end())
    return arrives->second->last == other.unit ? is_not_last(other.unit, *arrives->second) : is_last(other.unit, *arrives->second);
  return runs_it(other.unit, *asks_.at(other.unit));
}

bool CausalMeetings::waits(UnitId unit) const {
  if (joins_.contains(unit) || leaves_.contains(unit)) return true;
  const auto asks = asks_.find(unit);
  return asks != asks_.end() && asks->second->begin != nothing && asks->second->begin != unit && asks->second->end != nothing;
}

/// The other thread does not end, somebody does not arrive, the initialiser is not done.
Truth CausalMeetings::is_stuck(UnitId unit) {
  if (const auto join = joins_.find(unit); join != joins_.end()) return ~formula_.happens(join->second);
  const Truth stuck = formula_.open();
  if (const auto leaves = leaves_.find(unit); leaves != leaves_.end()) {
    std::vector<Truth> ways{~stuck};
    for (const UnitId arrival : leaves->second->arrivals) ways.push_back(~formula_.happens(arrival));
    formula_.clause(ways);
    return stuck;
  }
  const Once& once = *asks_.at(unit);
  formula_.clause({~stuck, formula_.happens(once.begin)});
  formula_.clause({~stuck, ~formula_.happens(once.end)});
  return stuck;
}

void CausalMeetings::close(Past& past) const {
  for (const auto& [key, round] : rounds_) {
    const bool left = std::any_of(round.leavings.begin(), round.leavings.end(), [&](UnitId u) { return past.includes(u); });
    const bool last_one = round.last != nothing && past.includes(round.last) && !past.is_target(round.last);
    for (const UnitId u : round.arrivals)
      if (left || last_one) past.include(u);
    // Asked whether it can be the last one: those that came before it.
    for (const Target& target : past.targets())
      if (const auto asked = arrives_in_.find(target.unit); asked != arrives_in_.end() && asked->second == &round)
        for (const UnitId u : round.arrivals)
          if (!past.is_target(u) && formula_.did_happen(u) && formula_.came_first(u, target.unit)) past.include(u);
  }
  for (const auto& [address, once] : onces_)
    for (const UnitId u : once.found_done)
      if (once.end != nothing && past.includes(u) && formula_.did_happen(once.end) && formula_.came_first(once.end, u))
        past.include(once.end);
}

}  // namespace treadle
