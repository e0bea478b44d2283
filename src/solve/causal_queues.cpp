// SPDX-License-Identifier: Apache-2.0
#include "solve/causal_queues.h"

#include <algorithm>

#include "solve/counted_truths.h"

namespace treadle {

CausalQueues::CausalQueues(CausalFormula& formula, const Trace& trace, Reader read) : formula_(formula) {
  for (UnitId u = 0; u < formula_.size(); ++u)
    if (!formula_.unit(u).left_out)
      for (const std::uint32_t event : formula_.unit(u).syncs)
        take_in(u, trace.events[event].address, ThreadId{trace.events[event].thread}, read(trace, formula.units(), event));
  if (!left_.empty()) find_ways_out(trace);
}

void CausalQueues::take_in(UnitId unit, std::uint64_t object, ThreadId thread, const Meaning& what) {
  if (what.kind == Meaning::Kind::Nothing) return;
  Queue& queue = queues_[object];
  switch (what.kind) {
    case Meaning::Kind::Begins:
      queue.waiting.push_back(queue.waits.size());
      queue.waits.push_back({unit, nothing, thread, false, DecisionKind::Step, {}});
      return;
    case Meaning::Kind::Leaves:
      for (std::size_t w = queue.waits.size(); w-- > 0;) {
        Wait& wait = queue.waits[w];
        if (wait.thread != thread) continue;
        wait.left = unit;
        wait.woken = what.why == Meaning::Why::Woken;
        if (!wait.woken) wait.way_out = what.why == Meaning::Why::TimedOut ? DecisionKind::Timeout : DecisionKind::Spurious;
        std::erase(queue.waiting, w);
        left_[unit] = {object, w};
        return;
      }
      return;
    default: {
      Call call{unit, what.all, what.counts, {}, {}};
      for (const std::size_t w : queue.waiting)
        if (what.all || queue.waits[w].thread == what.woken) call.woke.push_back(w);
      for (const std::size_t w : call.woke) std::erase(queue.waiting, w);
      calls_[unit] = {object, queue.calls.size()};
      queue.calls.push_back(std::move(call));
    }
  }
}

/// Whether a wait could have ended by itself stands among the alternatives, where they were recorded.
void CausalQueues::find_ways_out(const Trace& trace) {
  std::unordered_map<unsigned, std::vector<Wait*>> by_thread;
  for (auto& [address, queue] : queues_)
    for (Wait& wait : queue.waits)
      if (wait.left != nothing && wait.woken) by_thread[index_of(wait.thread)].push_back(&wait);
  for (std::uint32_t c = 0; c < trace.choices.size(); ++c) {
    const Choice& choice = trace.choices[c];
    if (choice.alternatives == 0) continue;
    for (const Decision& d : std::span(trace.alternatives).subspan(choice.first_alternative, choice.alternatives)) {
      if (d.kind != DecisionKind::Timeout && d.kind != DecisionKind::Spurious) continue;
      for (Wait* wait : by_thread[index_of(d.thread)])
        if (formula_.unit(wait->begins).choice < c && c <= formula_.unit(wait->left).choice && wait->way_out != DecisionKind::Timeout)
          wait->way_out = d.kind;
    }
  }
}

void CausalQueues::encode() {
  for (auto& [address, queue] : queues_) {
    for (std::size_t w = 0; w < queue.waits.size(); ++w) encode_who(queue, w);
    for (std::size_t c = 0; c < queue.calls.size(); ++c) encode_call(queue, c);
    for (const Wait& wait : queue.waits) {
      if (wait.left == nothing || formula_.in_prefix(wait.left)) continue;
      // Without another way out nobody gets there without being woken.
      const Truth when = wait.way_out == DecisionKind::Step ? formula_.reached(wait.left) : formula_.happens(wait.left);
      formula_.clause({~when, as_recorded(wait.left)});
    }
    for (const Call& call : queue.calls)
      if (call.counts && !formula_.in_prefix(call.unit)) formula_.clause({~formula_.happens(call.unit), as_recorded(call.unit)});
  }
}

/// Which call wakes it: at most one.
void CausalQueues::encode_who(Queue& queue, std::size_t w) {
  Wait& wait = queue.waits[w];
  for (const Call& call : queue.calls) {
    if (formula_.in_prefix(call.unit)) {
      wait.by.emplace_back(std::find(call.woke.begin(), call.woke.end(), w) != call.woke.end());
      continue;
    }
    const bool gone = wait.left != nothing && formula_.in_prefix(wait.left);
    if (gone || call.unit == wait.begins || formula_.must_precede(call.unit, wait.begins)) {
      wait.by.emplace_back(false);
      continue;
    }
    const Truth wakes = formula_.open();
    // One that is asked how many it wakes is reached when that is asked, and does not happen.
    formula_.clause({~wakes, call.counts ? formula_.reached(call.unit) : formula_.happens(call.unit)});
    formula_.clause({~wakes, formula_.happens(wait.begins)});
    formula_.clause({~wakes, formula_.before(wait.begins, call.unit)});
    for (const Truth& other : wait.by) formula_.clause({~wakes, ~other});
    wait.by.push_back(wakes);
  }
}

void CausalQueues::encode_call(Queue& queue, std::size_t c) {
  const Call& call = queue.calls[c];
  if (formula_.in_prefix(call.unit)) return;
  std::vector<Truth> anybody;
  for (const Wait& wait : queue.waits) {
    for (const Truth& other : anybody)
      if (!call.all) formula_.clause({~wait.by[c], ~other});
    anybody.push_back(wait.by[c]);
  }
  const Truth when = call.counts ? formula_.reached(call.unit) : formula_.happens(call.unit);
  for (const Wait& wait : queue.waits) {
    if (formula_.must_precede(call.unit, wait.begins)) continue;
    std::vector<Truth> ways{~when, ~formula_.happens(wait.begins), formula_.before(call.unit, wait.begins), has_left(queue, wait, c)};
    if (call.all)
      ways.push_back(wait.by[c]);
    else
      ways.insert(ways.end(), anybody.begin(), anybody.end());
    formula_.clause(ways);
  }
}

/// Woken by an earlier call, or gone by itself.
Truth CausalQueues::has_left(const Queue& queue, const Wait& wait, std::size_t c) {
  const UnitId call = queue.calls[c].unit;
  std::vector<Truth> ways;
  const Truth left = formula_.open();
  const auto add = [&](Truth so, UnitId unit) {
    if (so.is_false() || unit == call) return;
    const Truth earlier = formula_.before(unit, call);
    if (earlier.is_false()) return;
    const Truth way = formula_.open();
    formula_.clause({~way, so});
    formula_.clause({~way, formula_.happens(unit)});
    formula_.clause({~way, earlier});
    ways.push_back(way);
  };
  for (std::size_t other = 0; other < queue.calls.size(); ++other) add(wait.by[other], queue.calls[other].unit);
  if (wait.left != nothing && !wait.woken) add(true, wait.left);
  ways.push_back(~left);
  formula_.clause(ways);
  return left;
}

Truth CausalQueues::is_woken(const Queue& queue, const Wait& wait) {
  const Truth result = formula_.open();
  std::vector<Truth> ways{~result};
  for (std::size_t c = 0; c < queue.calls.size(); ++c) {
    if (wait.by[c].is_false()) continue;
    ways.push_back(wait.by[c]);
    formula_.clause({~result, ~wait.by[c], formula_.before(queue.calls[c].unit, wait.left)});
    formula_.clause({~result, ~wait.by[c], formula_.happens(queue.calls[c].unit)});
  }
  formula_.clause(ways);
  return result;
}

/// It is still waiting: no call has chosen it, nor will.
Truth CausalQueues::is_not_woken(const Queue& queue, const Wait& wait) {
  const Truth result = formula_.open();
  for (std::size_t c = 0; c < queue.calls.size(); ++c)
    formula_.clause({~result, ~wait.by[c], formula_.before(wait.left, queue.calls[c].unit)});
  return result;
}

CausalQueues::Call* CausalQueues::counting(UnitId unit) {
  const auto found = calls_.find(unit);
  if (found == calls_.end()) return nullptr;
  Call& call = queues_.at(found->second.object).calls[found->second.number];
  return call.counts ? &call : nullptr;
}

/// The call wakes so many.
Truth CausalQueues::counts(const Place& place, std::uint64_t number) {
  Queue& queue = queues_.at(place.object);
  Call& call = queue.calls[place.number];
  if (call.at_least.empty()) {
    std::vector<Truth> woken;
    for (const Wait& wait : queue.waits) woken.push_back(wait.by[place.number]);
    call.at_least = numbers_of(formula_, woken);
  }
  return is_number(formula_, call.at_least, number);
}

Truth CausalQueues::as_recorded(UnitId unit) {
  if (formula_.in_prefix(unit)) return true;
  const Call* const call = counting(unit);
  const auto found = left_.find(unit);
  if (call == nullptr && found == left_.end()) return true;
  if (const auto known = recorded_.find(unit); known != recorded_.end()) return known->second;
  if (call != nullptr) {
    const Truth result = formula_.open();
    recorded_.emplace(unit, result);
    formula_.clause({~result, formula_.reached(unit)});
    formula_.clause({~result, counts(calls_.at(unit), *call->counts)});
    return result;
  }
  const Queue& queue = queues_.at(found->second.object);
  const Wait& wait = queue.waits[found->second.number];
  const Truth result = wait.woken ? is_woken(queue, wait) : is_not_woken(queue, wait);
  if (!wait.woken)  // who has gone is not woken any more
    for (const Truth& by : wait.by) formula_.clause({~formula_.happens(unit), ~by});
  recorded_.emplace(unit, result);
  formula_.clause({~result, formula_.reached(unit)});
  return result;
}

std::vector<OtherResult> CausalQueues::other_results() const {
  std::vector<OtherResult> all;
  for (const auto& [unit, place] : left_) {
    const Wait& wait = queues_.at(place.object).waits[place.number];
    if (wait.way_out == DecisionKind::Step || formula_.in_prefix(unit) || formula_.is_cut_off(unit)) continue;
    all.push_back({unit, wait.woken ? wait.way_out : DecisionKind::Step, 0});
  }
  for (const auto& [unit, place] : calls_) {
    const Call& call = queues_.at(place.object).calls[place.number];
    if (call.counts && !formula_.in_prefix(unit) && !formula_.is_cut_off(unit))
      all.push_back({unit, call.all ? DecisionKind::Step : DecisionKind::Any, 0});
  }
  return all;
}

Truth CausalQueues::can_be(const OtherResult& other) {
  if (const Call* const call = counting(other.unit))
    return other.tag == 0 ? ~counts(calls_.at(other.unit), *call->counts) : counts(calls_.at(other.unit), other.tag - 1);
  const Place& place = left_.at(other.unit);
  const Queue& queue = queues_.at(place.object);
  const Wait& wait = queue.waits[place.number];
  return wait.woken ? is_not_woken(queue, wait) : is_woken(queue, wait);
}

bool CausalQueues::waits(UnitId unit) const {
  const auto found = left_.find(unit);
  return found != left_.end() && queues_.at(found->second.object).waits[found->second.number].way_out == DecisionKind::Step;
}

/// No call chooses it.
Truth CausalQueues::is_stuck(UnitId unit) {
  const Place& place = left_.at(unit);
  const Truth stuck = formula_.open();
  for (const Truth& by : queues_.at(place.object).waits[place.number].by) formula_.clause({~stuck, ~by});
  return stuck;
}

bool CausalQueues::depends_on_who_left(const Queue& queue, std::size_t c) const {
  const Call& call = queue.calls[c];
  if (call.all) return call.counts.has_value();
  return std::none_of(queue.waits.begin(), queue.waits.end(), [&](const Wait& w) { return formula_.holds(w.by[c]); });
}

void CausalQueues::close(Past& past) const {
  for (const auto& [address, queue] : queues_) {
    for (const Wait& wait : queue.waits)
      for (std::size_t c = 0; c < queue.calls.size(); ++c) {
        if (!formula_.holds(wait.by[c])) continue;
        const Call& call = queue.calls[c];
        if (wait.left != nothing && past.includes(wait.left) && formula_.came_first(call.unit, wait.left)) past.include(call.unit);
        if (past.includes(call.unit) && (!call.all || call.counts)) past.include(wait.begins);
      }
    // Those who had been woken before still have been.
    for (std::size_t c = 0; c < queue.calls.size(); ++c) {
      const Call& call = queue.calls[c];
      if (!past.includes(call.unit) || !depends_on_who_left(queue, c)) continue;
      for (const Wait& wait : queue.waits) {
        const bool there = past.includes(wait.begins) || formula_.in_prefix(wait.begins);
        if (!there || !formula_.came_first(wait.begins, call.unit)) continue;
        for (std::size_t other = 0; other < queue.calls.size(); ++other)
          if (other != c && formula_.holds(wait.by[other]) && formula_.came_first(queue.calls[other].unit, call.unit))
            past.include(queue.calls[other].unit);
        if (wait.left != nothing && !wait.woken && formula_.did_happen(wait.left) && formula_.came_first(wait.left, call.unit))
          past.include(wait.left);
      }
    }
  }
}

void CausalQueues::decide(UnitId unit, const Past& past, std::vector<Decision>& decisions) const {
  const auto found = calls_.find(unit);
  if (found == calls_.end()) return;
  const Queue& queue = queues_.at(found->second.object);
  if (queue.calls[found->second.number].all || decisions.size() != 1) return;
  decisions[0].kind = past.is_target(unit) ? DecisionKind::Any : DecisionKind::Step;  // made last: whom it wakes is all the same
  decisions[0].argument = 0;
  for (const Wait& wait : queue.waits)
    if (formula_.holds(wait.by[found->second.number])) {
      decisions[0].kind = DecisionKind::Wake;
      decisions[0].argument = static_cast<std::uint16_t>(index_of(wait.thread));
    }
}

}  // namespace treadle
