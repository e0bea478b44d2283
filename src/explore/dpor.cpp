// SPDX-License-Identifier: Apache-2.0
#include "explore/dpor.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/check.h"
#include "explore/coverage.h"

namespace treadle {
namespace {

template <class Range, class Value>
bool contains(const Range& range, const Value& value) {
  return std::ranges::find(range, value) != std::ranges::end(range);
}

/// The same move: equal, or of one process and at least one of them in whatever way that process can.
bool same_move(const Decision& a, const Decision& b) {
  if (a == b) return true;
  return (a.kind == DecisionKind::Any || b.kind == DecisionKind::Any) && process_of(a) == process_of(b);
}

bool among(const std::vector<Decision>& moves, const Decision& move) {
  return std::ranges::any_of(moves, [&](const Decision& other) { return same_move(other, move); });
}

bool among(const std::vector<Action>& actions, const Decision& move) {
  return std::ranges::any_of(actions, [&](const Action& action) { return same_move(action.decision, move); });
}

/// A move that is not known exactly sleeps when every way to make it does.
bool sleeps(const std::vector<Decision>& enabled, const std::vector<Action>& sleep, const Decision& move) {
  if (move.kind != DecisionKind::Any) return among(sleep, move);
  bool any = false;
  for (const Decision& way : enabled) {
    if (process_of(way) != process_of(move)) continue;
    if (!among(sleep, way)) return false;
    any = true;
  }
  return any;
}

bool can_move(const std::vector<Decision>& enabled, Process process) {
  return std::ranges::any_of(enabled, [&](const Decision& move) { return process_of(move) == process; });
}

}  // namespace

Dpor::Dpor(Schedule base) : Dpor(std::move(base), Reductions{}) {}

Dpor::Dpor(Schedule base, Reductions reductions)
    : base_(std::move(base)), reductions_(reductions), order_(base_.races, base_.model, fruitless_) {
  base_.prefix.clear();
  base_.policy = Policy::Continue;
}

Recording Dpor::needs() const {
  Recording recording;
  recording.choices = true;
  recording.spins_block = true;
  return recording;
}

/// The next move to be made from a state; the end of `enabled` when there is none.
std::vector<Decision>::const_iterator Dpor::to_explore(const State& state) {
  return std::ranges::find_if(state.enabled, [&](const Decision& d) {
    return contains(state.backtrack, process_of(d)) && !among(state.done, d) && !among(state.sleep, d);
  });
}

std::optional<Item> Dpor::next() {
  if (out_) return std::nullopt;
  if (!std::exchange(started_, true)) {
    out_ = true;
    return Item{base_};
  }
  if (look_again_) {
    Item item{base_};
    item.schedule.prefix.assign(path_.begin(), path_.begin() + stack_[height_ - 1].depth);
    item.schedule.policy = Policy::Stop;
    out_ = true;
    return item;
  }
  for (; height_ > 0; --height_) {
    State& state = stack_[height_ - 1];
    if (std::exchange(state.under_way, false) && reductions_.sleep_sets) state.sleep.push_back(std::move(state.taken));
    const auto move = to_explore(state);
    if (move == state.enabled.end()) continue;
    chosen_ = *move;
    state.done.push_back(chosen_);
    Item item{base_};
    item.schedule.prefix.assign(path_.begin(), path_.begin() + state.depth);
    item.schedule.prefix.push_back(chosen_);
    out_ = true;
    return item;
  }
  return std::nullopt;
}

void Dpor::learn_from(Ticket, const Trace& trace) {
  check(std::exchange(out_, false), "a strategy learns only from what it asked for");
  ++executions_;
  if (trace.threads.size() > base_.threads.size()) base_.threads = trace.threads;
  const bool looked_again = std::exchange(look_again_, false);
  const bool resumed = std::exchange(resumed_, false);
  if (trace.end.ending == TREADLE_END_DIVERGED) return;  // the search says so; nothing can be concluded from it

  const auto from = static_cast<std::uint32_t>(height_ == 0 ? 0 : height_ - 1);
  if (looked_again) {
    ++counts_.redundant;
    order_.take_in(trace, 0, from, stack_[from].depth);
    for (const Race& race : order_.races()) backtrack_for(trace, race);
    return;
  }
  const std::uint32_t prefix = height_ == 0 ? 0 : stack_[from].depth + 1;
  order_.take_in(trace, resumed ? 0 : from, from, prefix);
  const std::uint32_t kept = follow(trace, from);
  for (const Race& race : order_.races())
    if (race.at <= kept) backtrack_for(trace, race);
  if (!reductions_.locksets) backtrack_without_locksets(from, kept);
  if (height_ != kept + 1) return;
  const State& top = stack_[kept];
  if (!top.explored && to_explore(top) == top.enabled.end()) look_back_of_blocked(trace, kept);
}

Dpor::State& Dpor::push(std::uint32_t depth) {
  if (height_ == stack_.size()) stack_.emplace_back();
  State& state = stack_[height_++];
  state.depth = depth;
  state.enabled.clear();
  state.backtrack.clear();
  state.done.clear();
  state.sleep.clear();
  state.under_way = state.explored = false;
  return state;
}

/// Fig. 8, line 45: what sleeps goes on sleeping until something dependent happens.
void Dpor::fall_asleep(const State& before, State& after) const {
  for (const Action& action : before.sleep) {
    if (dependent(action, before.taken)) continue;
    after.sleep.push_back(action);
    pass_by(after.sleep.back(), before.taken);
  }
}

/// Puts the new part of an execution on the stack. Returns how many of its transitions count: all, or those before the first one that
/// should have slept.
std::uint32_t Dpor::follow(const Trace& trace, std::uint32_t from) {
  if (order_.ends_in_vain()) {  // a fruitless loop: it leads back to the same state
    ++counts_.redundant;
    if (!stack_[from].explored) go_elsewhere(stack_[from]);
    return from;
  }
  const auto transitions = order_.transitions();
  turned_back_.clear();
  bool chosen = height_ > 0;
  std::uint32_t choice = 0;
  for (std::uint32_t k = 0; k < transitions.size(); ++k) {
    const Action& action = transitions[k].action;
    for (; choice < transitions[k].choice; ++choice) {
      const Decision& fruitless = trace.choices[choice].taken;
      if (fruitless.kind != DecisionKind::Flush && !contains(turned_back_, fruitless.thread)) turned_back_.push_back(fruitless.thread);
    }
    if (k >= from) {
      if (k == height_) {
        State& state = push(static_cast<std::uint32_t>(path_.size()));
        list_enabled(trace, k, state);
        if (k > 0) fall_asleep(stack_[k - 1], state);
      }
      State& state = stack_[k];
      if (std::exchange(chosen, false)) {
        path_.resize(state.depth);
      } else if (among(state.sleep, action.decision)) {
        ++(go_elsewhere(state) ? counts_.redundant : counts_.blocked);
        return k;
      } else {
        state.backtrack.push_back(action.process);
        state.done.push_back(action.decision);
      }
      state.taken = action;
      state.under_way = state.explored = true;
      path_.push_back(action.decision);
      path_.insert(path_.end(), action.more_decisions.begin(), action.more_decisions.end());
    }
    choice += 1 + static_cast<std::uint32_t>(action.more_decisions.size());
    if (!is_flush(action.process)) std::erase(turned_back_, thread_of(action.process));
  }
  return static_cast<std::uint32_t>(transitions.size());
}

/// Nothing but sleepers can move here, and the execution ends in this state as in a deadlock: those who wait for a lock might have come
/// before the one that holds it. What they wait for shows in what they did, or would have done, after the cut. When fruitless loops lie in
/// between, the same state is reached once more without them, and the execution stopped there.
void Dpor::look_back_of_blocked(const Trace& trace, std::uint32_t kept) {
  const std::uint32_t choices = stack_[kept].depth;
  const auto decisions_of = [](const Transition& t) { return 1 + static_cast<std::uint32_t>(t.action.more_decisions.size()); };
  if (kept > 0 && order_.transitions()[kept - 1].choice + decisions_of(order_.transitions()[kept - 1]) != choices) {
    look_again_ = true;
    return;
  }
  const std::uint32_t events = kept == 0 ? 0 : order_.transitions()[kept - 1].events_end;
  until_cut_.clear();
  until_cut_.choices.assign(trace.choices.begin(), trace.choices.begin() + choices);
  until_cut_.events.assign(trace.events.begin(), trace.events.begin() + events);
  until_cut_.alternatives = trace.alternatives;
  until_cut_.threads = trace.threads;
  until_cut_.end.ending = TREADLE_END_DEADLOCK;
  for (unsigned t = 0; t < trace.threads.size(); ++t) {
    const ThreadId thread{static_cast<std::uint8_t>(t)};
    if (can_move(stack_[kept].enabled, Process{t})) continue;
    PendingOperation waits;
    const auto next = std::find_if(trace.events.begin() + events, trace.events.end(), [&](const Event& e) {
      return e.thread == t && is_visible(static_cast<EventKind>(e.kind), base_.races);
    });
    if (next != trace.events.end()) {
      waits.thread = thread;
      waits.kind = static_cast<EventKind>(next->kind);
      waits.address = next->address;
      waits.state = TREADLE_THREAD_BLOCKED;
    } else {
      const auto pending = std::ranges::find(trace.pending, thread, &PendingOperation::thread);
      if (pending == trace.pending.end() || pending->state != TREADLE_THREAD_BLOCKED) continue;
      waits = *pending;
    }
    until_cut_.pending.push_back(waits);
  }
  if (until_cut_.pending.empty()) return;
  order_.take_in(until_cut_, kept, kept, choices);
  for (const Race& race : order_.races()) backtrack_for(until_cut_, race);
}

/// A state in which nothing has been explored yet, since the runtime took a sleeping transition or one that led nowhere: is there another?
bool Dpor::go_elsewhere(State& state) {
  const auto awake =
      std::ranges::find_if(state.enabled, [&](const Decision& d) { return !among(state.sleep, d) && !among(state.done, d); });
  if (awake == state.enabled.end()) return false;
  state.backtrack.push_back(process_of(*awake));
  return true;
}

/// A thread that is turned back from a fruitless loop stands at its beginning again, where it can always move.
void Dpor::list_enabled(const Trace& trace, std::uint32_t transition, State& state) {
  const Choice& choice = trace.choices[order_.transitions()[transition].choice];
  const auto first = trace.alternatives.begin() + choice.first_alternative;
  state.enabled.assign(first, first + choice.alternatives);
  for (const ThreadId thread : turned_back_) {
    const Decision move{DecisionKind::Any, thread, 0};
    if (!can_move(state.enabled, process_of(move))) state.enabled.push_back(move);
  }
}

/// Fig. 2, lines 25 to 33.
void Dpor::backtrack_for(const Trace& trace, const Race& race) {
  State& state = stack_[race.first];
  find_initials(trace, race);
  for (const Initial& q : initials_)
    if (contains(state.backtrack, q.process) || sleeps(state.enabled, state.sleep, q.decision)) return;
  for (const Initial& q : initials_) {
    if (!can_move(state.enabled, q.process)) continue;
    state.backtrack.push_back(q.process);
    return;
  }
  for (const Decision& move : state.enabled)
    if (!contains(state.backtrack, process_of(move))) state.backtrack.push_back(process_of(move));
}

/// What the second of a race needs of the transitions between the two, in their order; and the processes that could begin with it at once.
/// E of Fig. 2, except that a process counts only if its first transition there depends on no other. A load of an iteration that is left
/// out also needs what the earlier loads have read: its thread moving at once would not come to it.
void Dpor::find_initials(const Trace& trace, const Race& race) {
  const auto transitions = order_.transitions();
  const ThreadId thread = thread_of(race.action.process);
  // A store buffer can be flushed as soon as its thread has made the store.
  std::uint64_t needed_of_thread = UINT64_MAX;
  const bool made = race.at < transitions.size() && transitions[race.at].action.process == race.action.process;
  if (is_flush(race.action.process) && made && transitions[race.at].event != none)
    needed_of_thread = trace.events[transitions[race.at].event].extra;
  const auto needed = [&](const Transition& t) {
    if (thread_of(t.action.process) != thread) return dependent(t.action, race.action);
    return is_flush(t.action.process) || needed_of_thread == UINT64_MAX || t.event == none || t.event <= needed_of_thread;
  };

  before_.clear();
  past_ = race.past;
  for (std::uint32_t j = race.at; j-- > race.first + 1;) {
    const Transition& t = transitions[j];
    const bool known = t.slot < past_.size() && past_[t.slot] >= t.count;
    if (order_.depends_on_overtaken(race, j) || (!known && !needed(t))) continue;
    before_.push_back(j);
    if (known) continue;
    const auto clock = order_.clock(j);
    if (past_.size() < clock.size()) past_.resize(clock.size());
    for (std::size_t slot = 0; slot < clock.size(); ++slot) past_[slot] = std::max(past_[slot], clock[slot]);
  }

  initials_.clear();
  firsts_.clear();
  for (const std::uint32_t j : std::views::reverse(before_)) {
    const Transition& t = transitions[j];
    if (std::ranges::any_of(firsts_, [&](std::uint32_t i) { return transitions[i].slot == t.slot; })) continue;
    if (std::ranges::none_of(firsts_, [&](std::uint32_t i) { return order_.happens_before(i, j); }))
      initials_.push_back({t.action.process, t.action.decision});
    firsts_.push_back(j);
  }
  if (before_.empty()) initials_.push_back({race.action.process, race.action.decision});
}

/// What §4.4 starts from: an acquisition looks back to the one before it, whatever locks both threads hold.
void Dpor::backtrack_without_locksets(std::uint32_t from, std::uint32_t kept) {
  const auto transitions = order_.transitions();
  const auto acquires = [](const Transition& t) { return t.kind == TREADLE_EV_LOCK; };
  for (std::uint32_t j = from; j < kept; ++j) {
    if (!acquires(transitions[j])) continue;
    for (std::uint32_t i = j; i-- > 0;) {
      if (!acquires(transitions[i]) || transitions[i].action.process == transitions[j].action.process ||
          !dependent(transitions[i].action, transitions[j].action))
        continue;
      State& state = stack_[i];
      const Process process = transitions[j].action.process;
      if (can_move(state.enabled, process) && !contains(state.backtrack, process)) state.backtrack.push_back(process);
      break;
    }
  }
}

std::string Dpor::covers() const { return covered_schedules(base_); }

/// Knuth's estimate in the form of Kilby et al. 2006, over the branches known by now: too low until the backtrack sets have grown.
std::optional<double> Dpor::estimate() const {
  if (executions_ == 0) return std::nullopt;
  double share = 1, explored = 0;
  for (std::size_t i = 0; i < height_; ++i) {
    const State& state = stack_[i];
    const auto open = static_cast<double>(std::ranges::count_if(state.enabled, [&](const Decision& d) {
      return contains(state.backtrack, process_of(d)) && !among(state.done, d) && !among(state.sleep, d);
    }));
    const double finished = static_cast<double>(state.done.size()) - (state.under_way ? 1 : 0);
    share /= std::max(1.0, finished + open + (state.under_way ? 1 : 0));
    explored += share * finished;
  }
  return static_cast<double>(executions_) / (explored + share);
}

}  // namespace treadle
