// SPDX-License-Identifier: Apache-2.0
// Which earlier transitions could an operation have overtaken?
#include <algorithm>

#include "explore/overtaking.h"
#include "explore/partial_order.h"
#include "explore/touch_table.h"
#include "explore/touches.h"
#include "trace/happens_before.h"
#include "trace/spin_iterations.h"
#include "trace/store_buffers.h"

namespace treadle {
namespace {

bool reads_in_loop(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_READ:
    case TREADLE_EV_ATOMIC_READ:
    case TREADLE_EV_RMW:
    case TREADLE_EV_CAS_OK:
    case TREADLE_EV_CAS_FAIL:
      return true;
    default:
      return false;
  }
}

/// Whether it has an effect depends on what others have done, and we cannot always tell. Readers of a lock have none in any case.
bool is_conditional(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_CAS_OK:
    case TREADLE_EV_CAS_FAIL:
    case TREADLE_EV_TRYLOCK:
    case TREADLE_EV_TIMEDLOCK:
    case TREADLE_EV_SPIN_TRYLOCK:
    case TREADLE_EV_SEM_TRYWAIT:
    case TREADLE_EV_SEM_TIMEDWAIT:
    case TREADLE_EV_FUTEX_WAIT:
    case TREADLE_EV_FUTEX_WAKE:
    case TREADLE_EV_FUTEX_WOKEN:
    case TREADLE_EV_ONCE_BEGIN:
    case TREADLE_EV_THREAD_JOIN:
    case TREADLE_EV_COND_BROADCAST:
    case TREADLE_EV_COND_SIGNAL:
      return true;
    default:
      return false;
  }
}

}  // namespace

/// What was in memory before that access, when it is known exactly.
std::optional<std::uint64_t> PartialOrder::value_before(const Trace& trace, const Touch& touch, const Event& reader) const {
  const Transition& t = transitions_[touch.transition];
  if (t.event == none || reader.size > 8) return std::nullopt;
  const Event& event = trace.events[t.event];
  if (event.address != reader.address || event.size != reader.size) return std::nullopt;
  if (reads_memory(t.kind)) return value_read(event);
  if (t.kind == TREADLE_EV_ATOMIC_WRITE || t.kind == TREADLE_EV_WRITE) return event.extra;
  for (std::uint32_t below = touch.below; below != none; below = touches_[below].below) {
    const Touch& older = touches_[below];
    if (!share_object(older.access, touch.access)) continue;
    const Transition& by = transitions_[older.transition];
    if (by.event == none) return std::nullopt;
    const Event& before = trace.events[by.event];
    if (before.address != reader.address || before.size != reader.size) return std::nullopt;
    if (older.access.writes) return value_written(before);
    if (reads_memory(by.kind)) return value_read(before);
  }
  // Nobody has touched it since the store went into its buffer and saw what it would overwrite.
  return t.kind == TREADLE_EV_FLUSH && event.extra < trace.events.size() ? std::optional(trace.events[event.extra].extra) : std::nullopt;
}

bool PartialOrder::had_way_out(const Trace& trace, std::uint32_t i, ThreadId thread) const {
  const Choice& choice = trace.choices[transitions_[i].choice];
  const auto all = std::span(trace.alternatives).subspan(choice.first_alternative, choice.alternatives);
  return std::any_of(all.begin(), all.end(), [&](const Decision& d) {
    return d.thread == thread && (d.kind == DecisionKind::Timeout || d.kind == DecisionKind::Spurious);
  });
}

const Event& PartialOrder::event_of_access(const Trace& trace, const Later& later, std::size_t access) const {
  return access < later.of_event ? later.event : trace.events[later.made_by[access]];
}

/// Later operations of a group come later, all those of a single step at once.
std::uint32_t PartialOrder::place_in_group(const Later& later, std::size_t access) {
  return access < later.made_by.size() ? later.made_by[access] : none;
}

Overtake PartialOrder::rule(const Trace& trace, const Later& later, std::size_t access, const Touch& touch, bool passed_a_write) const {
  const Transition& t = transitions_[touch.transition];
  if (access >= later.of_event) {  // something on the side: it waits for nothing, unless it is an operation of a group
    const bool waits = access < later.made_by.size() && touch.access.space != Space::Memory && t.event != none;
    if (!waits) return Overtake::Yes;
  }
  if (t.event == none) return Overtake::Maybe;
  if (touch.access.space == Space::Memory) {
    if (later.iteration == 0 || !reads_in_loop(static_cast<EventKind>(later.event.kind))) return Overtake::Yes;
    if (!touch.access.writes) return passed_a_write ? Overtake::PassOver : Overtake::Yes;
    const auto value = value_before(trace, touch, later.event);
    const bool in_vain = value && fruitless_.contains(iteration_after(later.iteration, later.event.address, *value));
    return in_vain ? Overtake::PassOver : Overtake::Yes;
  }
  if (t.action.more_decisions.size() > 0) return Overtake::Maybe;
  const Event& event = event_of_access(trace, later, access);
  const bool waits = event.kind == TREADLE_EV_COND_WOKEN || event.kind == TREADLE_EV_FUTEX_WOKEN;
  const Overtake how =
      can_overtake(event, trace.events[t.event], waits && had_way_out(trace, touch.transition, thread_of(later.action.process)));
  return how == Overtake::PassOver && was_disturbed(later) ? Overtake::Maybe : how;
}

/// Who was cancelled or sent a signal need not wait for what it would have waited for.
bool PartialOrder::was_disturbed(const Later& later) const {
  const std::uint32_t thread = index_of(thread_of(later.action.process));
  return std::ranges::any_of(disturbed_,
                             [&](std::uint32_t d) { return transitions_[d].action.disturbs == thread && in_past(d, later.past); });
}

/// And not by what its own past made sure of.
bool PartialOrder::was_disturbed_by_another(const Later& later) const {
  const ThreadId thread = thread_of(later.action.process);
  return std::ranges::any_of(disturbed_, [&](std::uint32_t d) {
    return transitions_[d].action.disturbs == index_of(thread) && thread_of(transitions_[d].action.process) != thread &&
           !in_past(d, later.past);
  });
}

/// Whoever comes before what `candidate` overtakes comes before what `other` does.
bool PartialOrder::overtakes_all_of(const Candidate& candidate, const Candidate& other) const {
  const auto is_overtaken = [&](std::uint32_t t) {
    const auto comes_before = [&](std::uint32_t c) { return c <= t && happens_before(c, t); };
    return comes_before(candidate.transition) || std::ranges::any_of(candidate.also, comes_before);
  };
  return is_overtaken(other.transition) && std::ranges::all_of(other.also, is_overtaken);
}

/// Nothing stands between it and the later one; what was passed over on the same object does not count.
bool PartialOrder::is_adjacent(const Later& later, const Candidate& c) const {
  const auto in_between = [&](const Candidate& other) {
    if (c.also.empty() && other.transition <= c.transition) return false;
    return overtakes_all_of(c, other) && !overtakes_all_of(other, c);
  };
  for (const Candidate& other : candidates_)
    if (!(c.how == Overtake::Maybe && other.access == c.access) && in_between(other)) return false;
  for (const Candidate& other : passed_over_)
    if (other.access != c.access && place_in_group(later, other.access) <= place_in_group(later, c.access) && in_between(other))
      return false;
  return true;
}

void PartialOrder::look_back(const Trace& trace, const Later& later) {
  candidates_.clear();
  passed_over_.clear();
  const ThreadId thread = thread_of(later.action.process);
  std::vector<Candidate> begins_before;  // a group may, and then has to wait for them: that is another order for what it has done by then
  for (std::size_t a = 0; a < later.action.accesses.size(); ++a) {
    const Access& access = later.action.accesses[a];
    bool passed_a_write = false;
    each_touch(access, [&](const Touch& touch, bool covers) {
      const bool closes = touch.access.writes && covers;
      if (thread_of(transitions_[touch.transition].action.process) == thread || in_past(touch.transition, later.past)) return !closes;
      if (!touch.access.writes && !access.writes) return true;
      Candidate candidate{touch.transition, a, rule(trace, later, a, touch, passed_a_write), &touch};
      const bool is_operation = a < later.of_event || a < later.made_by.size();
      const bool among_readers = candidate.how == Overtake::Yes && is_operation && touch.access.space == Space::RwLock;
      if (among_readers && !overtake_readers(trace, later, candidate)) candidate.how = Overtake::PassOver;
      const Overtake how = candidate.how;
      if (how == Overtake::PassOver && a >= later.of_event && (begins_before.empty() || begins_before.back().access != a))
        begins_before.push_back({touch.transition, a, Overtake::Yes, &touch});
      passed_a_write |= how == Overtake::PassOver && touch.access.writes;
      (how == Overtake::Yes || how == Overtake::Maybe ? candidates_ : passed_over_).push_back(std::move(candidate));
      return how == Overtake::Yes ? !closes : how != Overtake::Never;
    });
  }
  // What the later one needs by one object it cannot come before, nor what leads there, whatever both do to another one. A group that has
  // to wait has done by then what it does before: that may come before anything.
  std::erase_if(candidates_, [&](const Candidate& c) {
    return std::ranges::any_of(passed_over_, [&](const Candidate& needed) {
      return needed.access != c.access && place_in_group(later, needed.access) <= place_in_group(later, c.access) &&
             needed.touch->access.space != Space::Memory && c.transition <= needed.transition &&
             happens_before(c.transition, needed.transition);
    });
  });
  const std::size_t many = later.action.accesses.size();
  for (const std::uint32_t d : disturbed_)
    if ((transitions_[d].action.disturbs == index_of(thread) || transitions_[d].action.disturbs == later.action.disturbs) &&
        thread_of(transitions_[d].action.process) != thread && !in_past(d, later.past))
      candidates_.push_back({d, many, Overtake::Maybe, nullptr});
  if (later.action.disturbs != nobody)
    for (std::size_t s = 0; s < slots_.size(); ++s)
      if (last_[s] != none && index_of(thread_of(slots_[s])) == later.action.disturbs && !in_past(last_[s], later.past))
        candidates_.push_back({last_[s], many + 1, Overtake::Yes, nullptr});
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    const bool twice = std::any_of(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(c), [&](const Candidate& other) {
      return other.transition == candidates_[c].transition && overtakes_all_of(other, candidates_[c]) &&
             overtakes_all_of(candidates_[c], other);
    });
    if (!twice && is_adjacent(later, candidates_[c])) add_race(trace, later, candidates_[c]);
  }
  for (const Candidate& c : begins_before) add_race(trace, later, c);
}

/// What ends the execution depends on everything: on the last transition of each process.
void PartialOrder::look_back_from_the_end(const Trace& trace, const Later& later) {
  candidates_.clear();
  passed_over_.clear();
  const ThreadId thread = thread_of(later.action.process);
  for (std::size_t s = 0; s < slots_.size(); ++s)
    if (last_[s] != none && thread_of(slots_[s]) != thread && !in_past(last_[s], later.past))
      candidates_.push_back({last_[s], s, Overtake::Yes, nullptr});
  // What it waited for it cannot overtake: the race is then with what came before that.
  if (later.event.kind != TREADLE_EV_EXIT && later.of_event > 0) {
    auto ends = std::move(candidates_);
    const std::size_t races = races_.size();
    look_back(trace, later);
    std::vector<std::uint32_t> not_overtaken;
    for (const Candidate& passed : passed_over_) not_overtaken.push_back(passed.transition);
    candidates_ = std::move(ends);
    passed_over_.clear();
    std::erase_if(candidates_, [&](const Candidate& c) {
      return std::find(not_overtaken.begin(), not_overtaken.end(), c.transition) != not_overtaken.end() ||
             std::any_of(races_.begin() + static_cast<std::ptrdiff_t>(races), races_.end(),
                         [&](const Race& r) { return r.first == c.transition; });
    });
  }
  for (const Candidate& c : candidates_)
    if (is_adjacent(later, c)) add_race(trace, later, c);
}

void PartialOrder::add_race(const Trace& trace, const Later& later, const Candidate& candidate) {
  Race race{candidate.transition, std::max(later.at, candidate.transition + 1), later.action};
  Action& action = race.action;
  const auto kind = static_cast<EventKind>(later.event.kind);
  if (!is_flush(action.process)) {
    const bool open = candidate.how == Overtake::Maybe || has_several_ways(kind) || action.decision.kind != DecisionKind::Step;
    action.decision = {open ? DecisionKind::Any : DecisionKind::Step, thread_of(action.process), 0};
  }
  action.attempt = action.decision.kind == DecisionKind::Any || (later.iteration != 0 && reads_in_loop(kind));
  action.more_decisions.clear();
  action.fails = false;  // it may not, there
  action.foreseen = !is_flush(action.process);
  race.undisturbed = transitions_[race.first].action.disturbs == index_of(thread_of(action.process));
  if (race.undisturbed)
    action.ends = true;  // depends on everything
  else
    predict(trace, later, candidate, action);
  race.also = candidate.also;
  if (later.spun != nullptr) {
    race.past.assign(later.past, later.past + slots_.size());
    race.leading = steps_leading_to(*later.spun);
  }
  races_.push_back(std::move(race));
}

std::vector<Race::Step> PartialOrder::steps_leading_to(const Spun& step) const {
  std::vector<Race::Step> leading;
  std::uint32_t missing = step.nth;
  for (const Spun* earlier = &step; missing > 0 && earlier-- != spun_.data();)
    if (earlier->slot == step.slot) {
      leading.push_back({earlier->at, earlier->action});
      --missing;
    }
  std::reverse(leading.begin(), leading.end());
  return leading;
}

/// What the later one will touch once it comes first. When that is unknown, we take it to write, which is never wrong, at most wasteful.
void PartialOrder::predict(const Trace& trace, const Later& later, const Candidate& candidate, Action& action) const {
  const auto kind = static_cast<EventKind>(later.event.kind);
  const Transition& first = transitions_[candidate.transition];
  if (kind == TREADLE_EV_COND_SIGNAL || kind == TREADLE_EV_COND_BROADCAST)
    return touches_of_signal(trace, later.event.address, candidate.transition, action);
  if (kind == TREADLE_EV_COND_WOKEN) {  // it gives up waiting, or wakes for no reason
    action.accesses = {};
    action.accesses.add({later.event.address, 1, Space::Condition, true});
    return action.accesses.add({index_of(thread_of(action.process)), 1, Space::Waiter, true});
  }
  if (!is_conditional(kind) || action.accesses.size() == 0) return;
  std::optional<bool> writes;
  if (first.event != none && candidate.access == 0 && candidate.how == Overtake::Yes)
    writes = would_write(later.event, trace.events[first.event],
                         candidate.touch ? value_before(trace, *candidate.touch, later.event) : std::nullopt);
  if (action.accesses[0].space != Space::Time) action.accesses[0].writes = writes.value_or(true);
}

void PartialOrder::touches_of_signal(const Trace& trace, std::uint64_t condition, std::uint32_t first, Action& action) const {
  std::vector<bool> waits(waiting_on_.size());
  for (std::uint32_t i = 0; i < first; ++i) {
    const Transition& t = transitions_[i];
    if (t.event == none) continue;
    const Event& event = trace.events[t.event];
    if (event.address != condition) continue;
    if (t.kind == TREADLE_EV_COND_WAIT) waits[event.thread] = true;
    if (t.kind == TREADLE_EV_COND_WOKEN) waits[event.thread] = false;
    if (t.kind == TREADLE_EV_COND_SIGNAL && event.value != 0) waits[event.value - 1] = false;
    if (t.kind == TREADLE_EV_COND_BROADCAST) waits.assign(waits.size(), false);
  }
  const bool somebody = std::find(waits.begin(), waits.end(), true) != waits.end();
  action.accesses = {};
  action.accesses.add({condition, 1, Space::Condition, somebody});
  for (unsigned thread = 0; thread < waits.size(); ++thread)
    if (waits[thread]) action.accesses.add({thread, 1, Space::Waiter, true});
}

/// The same thread could have gone on differently: woken another waiter, given up waiting.
void PartialOrder::other_ways(const Trace& trace, std::uint32_t i) {
  const Transition& t = transitions_[i];
  if (is_flush(t.action.process)) return;
  const Choice& choice = trace.choices[t.choice];
  for (const Decision& d : std::span(trace.alternatives).subspan(choice.first_alternative, choice.alternatives)) {
    if (d.thread != choice.taken.thread || d.kind == DecisionKind::Flush || d == choice.taken) continue;
    Race other{i, i, t.action};
    other.action.decision = d;
    other.action.more_decisions.clear();
    for (std::size_t a = 0; a < other.action.accesses.size(); ++a)
      if (d.kind == DecisionKind::Wake && other.action.accesses[a].space == Space::Waiter) other.action.accesses[a].address = d.argument;
    races_.push_back(std::move(other));
  }
}

}  // namespace treadle
