// SPDX-License-Identifier: Apache-2.0
#include "explore/partial_order.h"

#include <algorithm>

#include "base/check.h"
#include "explore/touch_table.h"
#include "explore/touches.h"
#include "trace/happens_before.h"
#include "trace/store_buffers.h"

namespace treadle {
namespace {

/// Plain accesses may be recorded for other reasons; where they are no steps, their order is a matter of races, not of schedules.
bool counts_on_the_side(EventKind kind, Races races) {
  switch (kind) {
    case TREADLE_EV_READ:
    case TREADLE_EV_WRITE:
    case TREADLE_EV_RANGE_READ:
    case TREADLE_EV_RANGE_WRITE:
      return races == Races::Explore;
    case TREADLE_EV_FREE:
      return races != Races::Stop;
    default:
      return true;
  }
}

bool is_failure(Ending ending) {
  switch (ending) {
    case TREADLE_END_ASSERTION:
    case TREADLE_END_ABORTED:
    case TREADLE_END_REACHED_ERROR:
    case TREADLE_END_UNCAUGHT_EXCEPTION:
    case TREADLE_END_SIGNALLED:
    case TREADLE_END_STACK_OVERFLOW:
    case TREADLE_END_HEAP_BROKEN:
    case TREADLE_END_MEMORY_LIMIT:
    case TREADLE_END_ASSUMPTION_FAILED:
      return true;
    default:
      return false;
  }
}

/// The heap did not let it happen, so that no event tells of it; had it come before what it found freed, it would have happened. `behind`:
/// the step had made its operation.
void add_access_that_failed(const HowItEnded& end, Races races, bool behind, Action& action) {
  const bool frees = end.detail == TREADLE_HEAP_DOUBLE_FREE || end.detail == TREADLE_HEAP_INVALID_FREE;
  const bool counts = races == Races::Explore || (races == Races::Ignore && (frees || !behind));
  if (end.ending != TREADLE_END_HEAP_BROKEN || !counts) return;
  const bool reads = end.detail == TREADLE_HEAP_USE_AFTER_FREE_READ || end.detail == TREADLE_HEAP_OUT_OF_BOUNDS_READ;
  action.accesses.add({end.address, 1, Space::Memory, !reads});
}

}  // namespace

void PartialOrder::join(std::uint32_t* clock, std::uint32_t i) const {
  const std::uint32_t* other = clock_of(i);
  for (std::size_t s = 0; s < slots_.size(); ++s) clock[s] = std::max(clock[s], other[s]);
}

std::uint32_t PartialOrder::slot_of(Process process) {
  for (std::size_t s = 0; s < slots_.size(); ++s)
    if (slots_[s] == process) return static_cast<std::uint32_t>(s);
  slots_.push_back(process);
  last_.push_back(none);
  if (slots_.size() > stride_) {
    std::vector<std::uint32_t> wider(transitions_.size() * stride_ * 2);
    for (std::size_t i = 0; i < transitions_.size(); ++i) std::copy_n(&clocks_[i * stride_], stride_, &wider[i * stride_ * 2]);
    clocks_ = std::move(wider);
    stride_ *= 2;
  }
  return static_cast<std::uint32_t>(slots_.size() - 1);
}

void PartialOrder::truncate(std::uint32_t size) {
  pop_touches(size);
  while (transitions_.size() > size) {
    const Transition& t = transitions_.back();
    last_[t.slot] = t.before;
    transitions_.pop_back();
  }
  while (!disturbed_.empty() && disturbed_.back() >= size) disturbed_.pop_back();
  while (!forwarded_.empty() && forwarded_.back().load >= size) forwarded_.pop_back();
  while (!waits_.empty() && waits_.back().transition >= size) {
    waiting_on_[waits_.back().thread] = waits_.back().before;
    waits_.pop_back();
  }
  clocks_.resize(static_cast<std::size_t>(size) * stride_);
  std::fill(loop_.begin(), loop_.end(), 0);
  for (std::size_t s = 0; s < slots_.size(); ++s)
    if (last_[s] != none && !is_flush(slots_[s])) loop_[index_of(thread_of(slots_[s]))] = transitions_[last_[s]].iteration;
}

std::uint32_t PartialOrder::take_in(const Trace& trace, std::uint32_t common, std::uint32_t from, std::uint32_t prefix) {
  check(common <= transitions_.size() && common <= from, "what two executions have in common has been taken in");
  if (loop_.empty()) {
    loop_.resize(256);
    iteration_past_.resize(256);
    waiting_on_.resize(256);
  }
  common = std::min(common, clean_);
  // What a thread does undisturbed may come after whatever this execution does that the last one did not: those races are found anew.
  if (!disturbed_.empty()) common = std::min(common, disturbed_.front() + 1);
  truncate(common);
  clean_ = none;
  races_.clear();
  for (const Spun& step : spun_) iteration_past_[index_of(thread_of(step.action.process))].clear();
  spun_.clear();
  in_vain_ = stands_still_ = false;
  standing_.clear();
  in_vain_at_ = none;
  std::uint32_t event = common == 0 ? 0 : transitions_.back().events_end;
  first_choice_ =
      common == 0 ? 0 : transitions_.back().choice + 1 + static_cast<std::uint32_t>(transitions_.back().action.more_decisions.size());
  leave_out_fruitless(trace, event, prefix);
  std::uint32_t choice = first_choice_;
  while (choice < trace.choices.size() && !in_vain_) {
    add_transition(trace, choice, event, transitions_.size() >= from);
    if (left_out_[choice - first_choice_])
      ++choice;
    else
      choice = transitions_.back().choice + 1 + static_cast<std::uint32_t>(transitions_.back().action.more_decisions.size());
  }
  if (in_vain_) return common;
  for (const Standing& standing : standing_) stands_still_ |= trace.end.ending != TREADLE_END_LIVELOCK || went_on_without(standing);
  never_happened(trace);
  overtaken_by_the_end(trace);
  return common;
}

/// The transition that begins with `choice`; or, when that is left out, only what its operation could have overtaken.
void PartialOrder::add_transition(const Trace& trace, std::uint32_t choice, std::uint32_t& event, bool find_races) {
  const bool left_out = left_out_[choice - first_choice_] != 0;
  const Decision taken = trace.choices[choice].taken;
  Transition t;
  t.choice = choice;
  t.action.process = process_of(taken);
  t.action.decision = taken;
  t.slot = slot_of(t.action.process);
  std::uint64_t iteration = 0;  // before the operation itself
  const std::uint32_t first_event = event;
  for (; event < trace.events.size() && trace.events[event].step <= choice; ++event) {
    const Event& e = trace.events[event];
    if (t.event == none && is_visible(static_cast<EventKind>(e.kind), races_mode_)) {
      t.event = event;
      t.kind = static_cast<EventKind>(e.kind);
      iteration = loop_[e.thread];
    }
    follow_loop(e);
    if (e.kind == TREADLE_EV_ITERATION && t.event == none) iteration_past_[e.thread].clear();
  }
  const auto waiting = [&](std::uint64_t condition, auto f) {
    for (unsigned thread = 0; thread < waiting_on_.size(); ++thread)
      if (waiting_on_[thread] == condition) f(thread);
  };
  const bool timed_out = taken.kind == DecisionKind::Timeout, has_buffers = model_ != MemoryModel::Sc;
  if (t.event != none) add_touches(trace.events[t.event], timed_out, has_buffers, waiting, t.action);
  if (reads_memory(t.kind) && is_buffered(trace.events[t.event])) {
    const Event& load = trace.events[t.event];
    const Access read{load.address, load.size, Space::Memory, false};
    if (serving_store(trace, load, last_[t.slot]) != none)
      t.action.served = read;
    else
      t.action.accesses.add(read);
  }
  const std::size_t of_event = t.action.accesses.size();
  made_by_.assign(of_event, t.event);
  for (std::uint32_t e = first_event; e < event; ++e)
    if (e != t.event && counts_on_the_side(static_cast<EventKind>(trace.events[e].kind), races_mode_)) {
      add_touches(trace.events[e], false, has_buffers, waiting, t.action);
      made_by_.resize(t.action.accesses.size(), e);
    }
  t.events_end = event;

  if (left_out) {
    clean_ = std::min(clean_, static_cast<std::uint32_t>(transitions_.size()));
    if (t.kind != TREADLE_EV_SPIN && t.event != none) {
      const auto at = static_cast<std::uint32_t>(transitions_.size());
      const bool begins = iteration_past_[index_of(taken.thread)].empty();
      const auto before = std::find_if(spun_.rbegin(), spun_.rend(), [&](const Spun& step) { return step.slot == t.slot; });
      const std::uint32_t nth = begins || before == spun_.rend() ? 0 : before->nth + 1;
      spun_.push_back({t.event, t.slot, at, nth, t.action, of_event, iteration, past_in_iteration(trace, t)});
      const Spun& step = spun_.back();
      if (find_races) look_back(trace, {trace.events[t.event], step.action, of_event, at, step.past.data(), iteration, &step});
    }
    // Behind its operation the thread may have begun the next iteration.
    for (std::uint32_t e = t.event == none ? event : t.event; e < event; ++e)
      if (trace.events[e].kind == TREADLE_EV_ITERATION || trace.events[e].kind == TREADLE_EV_SPIN)
        iteration_past_[trace.events[e].thread].clear();
    if (choice == in_vain_at_) {
      in_vain_ = true;
      if (loop_[index_of(taken.thread)] != 0) fruitless_.insert(loop_[index_of(taken.thread)]);
    }
    return;
  }
  if (t.kind == TREADLE_EV_EXCLUSIVE_BEGIN) group_exclusive_section(trace, t, event);
  if (t.kind == TREADLE_EV_SPIN) {  // reads once more what its iteration has read
    std::uint64_t steps = trace.events[t.event].value;
    for (std::uint32_t i = last_[t.slot]; i != none && steps > 0; i = transitions_[i].before, --steps)
      for (std::size_t a = 0; a < transitions_[i].action.accesses.size(); ++a)
        if (transitions_[i].action.accesses[a].space == Space::Memory) {
          Access read = transitions_[i].action.accesses[a];
          read.writes = false;
          t.action.accesses.add(read);
        }
  }
  const std::uint32_t next_choice = choice + 1 + static_cast<std::uint32_t>(t.action.more_decisions.size());
  if (next_choice == trace.choices.size()) {
    t.action.fails = is_failure(trace.end.ending);
    if (trace.end.thread == taken.thread) add_access_that_failed(trace.end, races_mode_, t.event != none, t.action);
    t.action.ends = trace.end.ending == TREADLE_END_COMPLETED &&
                    std::any_of(trace.events.rbegin(), trace.events.rend(), [](const Event& e) { return e.kind == TREADLE_EV_EXIT; });
  }
  t.iteration = loop_[index_of(taken.thread)];
  if (!is_flush(t.action.process)) iteration_past_[index_of(taken.thread)].clear();
  t.before = last_[t.slot];
  t.count = t.before == none ? 1 : transitions_[t.before].count + 1;

  const auto i = static_cast<std::uint32_t>(transitions_.size());
  clocks_.resize((i + 1) * stride_);
  std::fill_n(clock_of(i), stride_, 0u);
  transitions_.push_back(std::move(t));
  const Transition& added = transitions_.back();
  if (added.before != none) std::copy_n(clock_of(added.before), slots_.size(), clock_of(i));
  order_buffers(trace, added, clock_of(i));
  const auto races_before = static_cast<std::ptrdiff_t>(races_.size());
  const Event e = added.event != none ? trace.events[added.event] : Event{};
  const bool is_group = !added.action.more_decisions.empty();
  const std::span<const std::uint32_t> made_by(made_by_.data(), is_group ? made_by_.size() : 0);
  const Later later{e, added.action, of_event, i, clock_of(i), iteration, nullptr, made_by};
  if (find_races && added.action.ends)
    look_back_from_the_end(trace, later);
  else if ((find_races && added.kind != TREADLE_EV_SPIN) || was_disturbed_by_another(later))
    look_back(trace, later);
  if (find_races)
    other_ways(trace, i);
  else
    races_.erase(std::remove_if(races_.begin() + races_before, races_.end(), [](const Race& r) { return !r.undisturbed; }), races_.end());
  order(trace, i);
  touch(trace, i);
}

/// Nobody else can move until the section ends or has to wait: its decisions make one transition.
void PartialOrder::group_exclusive_section(const Trace& trace, Transition& t, std::uint32_t& event) {
  const auto nobody_waits = [](std::uint64_t, auto) {};
  const auto ends_section = [&] {
    return std::any_of(trace.events.begin() + t.event, trace.events.begin() + event,
                       [](const Event& e) { return e.kind == TREADLE_EV_EXCLUSIVE_END && e.value == 0; });
  };
  std::uint32_t choice = t.choice + 1;
  while (!ends_section() && choice < trace.choices.size() && process_of(trace.choices[choice].taken) == t.action.process) {
    t.action.more_decisions.push_back(trace.choices[choice].taken);
    for (; event < trace.events.size() && trace.events[event].step <= choice; ++event) {
      if (!counts_on_the_side(static_cast<EventKind>(trace.events[event].kind), races_mode_)) continue;
      add_touches(trace.events[event], false, model_ != MemoryModel::Sc, nobody_waits, t.action);
      made_by_.resize(t.action.accesses.size(), event);
    }
    ++choice;
  }
  t.events_end = event;
}

/// What a step of an iteration that is left out comes after: what its thread has done that counts, what the earlier steps of the same
/// iteration have read, and the store buffers, for which it will have to wait wherever it comes.
std::vector<std::uint32_t> PartialOrder::past_in_iteration(const Trace& trace, const Transition& t) {
  std::vector<std::uint32_t>& so_far = iteration_past_[index_of(thread_of(t.action.process))];
  if (so_far.empty()) so_far.assign(past_of(t.slot), past_of(t.slot) + slots_.size());
  so_far.resize(slots_.size());
  order_buffers(trace, t, so_far.data());
  std::vector<std::uint32_t> past = so_far;
  for (std::size_t a = 0; a < t.action.accesses.size(); ++a)
    each_touch(t.action.accesses[a], [&](const Touch& touch, bool covers) {
      if (touch.access.writes || t.action.accesses[a].writes) join(so_far.data(), touch.transition);
      return !(touch.access.writes && covers);
    });
  return past;
}

const std::uint32_t* PartialOrder::past_of(std::uint32_t slot) const {
  static const std::vector<std::uint32_t> nothing(1024, 0);
  return last_[slot] == none ? nothing.data() : clock_of(last_[slot]);
}

/// What order there is between a thread and its store buffers.
void PartialOrder::order_buffers(const Trace& trace, const Transition& t, std::uint32_t* clock) {
  const ThreadId thread = thread_of(t.action.process);
  if (is_flush(t.action.process)) {
    if (t.event == none) return;
    const std::uint64_t store = trace.events[t.event].extra;
    const std::uint32_t own = slot_of(Process{index_of(thread)});
    std::uint32_t made = last_[own];
    while (made != none && transitions_[made].event != store) made = transitions_[made].before;
    if (made != none) {
      join(clock, made);
      transitions_.back().action.store = transitions_[made].count;
    }
    // PSO: a release store waits for all earlier ones, and what follows a release fence for those before the fence.
    const std::uint64_t behind = waits_for_stores_before(trace, made, store);
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      if (!is_flush(slots_[s]) || thread_of(slots_[s]) != thread || slots_[s] == t.action.process) continue;
      for (std::uint32_t f = last_[s]; f != none; f = transitions_[f].before)
        // Overlapping stores of different sizes stand in different buffers but keep their order.
        if (trace.events[transitions_[f].event].extra < behind ||
            (trace.events[transitions_[f].event].extra < store && overlap(trace.events[transitions_[f].event], trace.events[t.event]))) {
          join(clock, f);
          break;
        }
    }
    return;
  }
  if (t.event != none && passes_buffers(trace.events[t.event])) return;
  for (std::size_t s = 0; s < slots_.size(); ++s)
    if (is_flush(slots_[s]) && thread_of(slots_[s]) == thread && last_[s] != none) join(clock, last_[s]);
}

/// The store reaches memory only after those of its thread that were made before this event.
std::uint64_t PartialOrder::waits_for_stores_before(const Trace& trace, std::uint32_t store, std::uint64_t event) const {
  if (store == none || (trace.events[event].order & 7) >= 3) return event;
  for (std::uint32_t i = transitions_[store].before; i != none; i = transitions_[i].before)
    if (transitions_[i].kind == TREADLE_EV_FENCE && (trace.events[transitions_[i].event].order & 7) >= 3) return transitions_[i].event;
  return 0;
}

/// Happens-before: after everything that it depends on.
void PartialOrder::order(const Trace&, std::uint32_t i) {
  std::uint32_t* clock = clock_of(i);
  const Transition& t = transitions_[i];
  const ThreadId thread = thread_of(t.action.process);
  if (t.action.ends) {
    for (const std::uint32_t last : last_)
      if (last != none) join(clock, last);
  } else {
    for (std::size_t a = 0; a < t.action.accesses.size(); ++a) {
      const Access& access = t.action.accesses[a];
      each_touch(access, [&](const Touch& touch, bool covers) {
        const bool own = thread_of(transitions_[touch.transition].action.process) == thread;
        if (!own && (touch.access.writes || access.writes)) join(clock, touch.transition);
        if (own && covers && touch.access.writes && !access.writes && is_flush(transitions_[touch.transition].action.process))
          transitions_[i].own_flush = touch.transition;
        return !(touch.access.writes && covers);
      });
    }
    // A thread that was cancelled or sent a signal is after that, and who did it is after all that the thread had done.
    for (const std::uint32_t d : disturbed_) {
      const Action& by = transitions_[d].action;
      if (by.disturbs == index_of(thread) || (by.disturbs == t.action.disturbs)) join(clock, d);
    }
    if (t.action.disturbs != nobody)
      for (std::size_t s = 0; s < slots_.size(); ++s)
        if (last_[s] != none && index_of(thread_of(slots_[s])) == t.action.disturbs) join(clock, last_[s]);
  }
  clock[t.slot] = t.count;
  last_[t.slot] = i;
}

void PartialOrder::touch(const Trace& trace, std::uint32_t i) {
  const Transition& t = transitions_[i];
  const unsigned thread = index_of(thread_of(t.action.process));
  if (t.action.disturbs != nobody) disturbed_.push_back(i);
  for (std::size_t a = 0; a < t.action.accesses.size(); ++a) push_touch(t.action.accesses[a], i, i);
  if (t.event == none) return;
  const Event& event = trace.events[t.event];
  const auto waits_for = [&](std::uint8_t who, std::uint64_t condition) {
    waits_.push_back({i, who, waiting_on_[who]});
    waiting_on_[who] = condition;
  };
  switch (t.kind) {
    case TREADLE_EV_COND_WAIT:
      return waits_for(static_cast<std::uint8_t>(thread), event.address);
    case TREADLE_EV_COND_WOKEN:
      return waits_for(static_cast<std::uint8_t>(thread), 0);
    case TREADLE_EV_COND_SIGNAL:
      if (event.value != 0) waits_for(static_cast<std::uint8_t>(event.value - 1), 0);
      return;
    case TREADLE_EV_COND_BROADCAST:
      for (unsigned who = 0; who < waiting_on_.size(); ++who)
        if (waiting_on_[who] == event.address) waits_for(static_cast<std::uint8_t>(who), 0);
      return;
    case TREADLE_EV_READ:
    case TREADLE_EV_ATOMIC_READ:
      if (t.action.served.bytes != 0) {
        const std::uint32_t store = serving_store(trace, event, t.before);
        forwarded_.push_back({i, transitions_[store].event});
        transitions_[i].action.store = transitions_[store].count;
      }
      return;
    case TREADLE_EV_FLUSH:
      // Later flushes of others overwrite what those loads have read: they come after them.
      for (const Forwarded& f : forwarded_)
        if (f.store == event.extra) {
          const Event& load = trace.events[transitions_[f.load].event];
          push_touch({load.address, load.size, Space::Memory, false}, f.load, i);
        }
      read_in_part(trace, i);
      return;
    default:
      return;
  }
}

}  // namespace treadle
