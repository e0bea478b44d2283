// SPDX-License-Identifier: Apache-2.0
// The play itself: decision after decision, as runtime/scheduler.cpp and runtime/policy.cpp have it.
#include "explore/rehearsal.h"

#include <algorithm>

#include "base/hash.h"

namespace treadle {

Rehearsal::Rehearsal(LearnedProgram& program, const Schedule& base)
    : program_(program), model_(base.model), races_(base.races), spurious_(base.spurious_wakeups), max_steps_(base.max_steps) {}

void Rehearsal::begin() {
  trace_.clear();
  for (unsigned id = 0; id <= highest_; ++id) {
    Actor& actor = actors_[id];
    actor.exists = actor.live = actor.stands_still = false;
    actor.buffer.stores.clear();
    actor.buffer.queues.clear();
    actor.buffer.fences = 0;
    actor.waits_on = actor.woken_by = actor.round = actor.writes = actor.rf = 0;
    actor.life = {};
    actor.spoken_for = false;
    actor.time_then = 0;
    actor.iteration = nullptr;
    actor.watched.clear();
  }
  memory_.clear();
  freed_.clear();
  destroyed_.clear();
  locks_.clear();
  waiters_.clear();
  semaphores_.clear();
  barriers_.clear();
  time_ = signals_ = {};
  highest_ = current_ = step_ = exclusive_ = 0;
  live_ = 1;
  over_ = lost_ = strange_ = beyond_rules_ = unsure_ = false;
  actors_[0].exists = actors_[0].live = true;
  actors_[0].at = &program_.main_thread();
}

bool Rehearsal::act(std::span<const Decision> prefix) {
  lists_all_ = false;
  return act_out(prefix);
}

bool Rehearsal::act_out(std::span<const Decision> prefix) {
  learning_ = false;
  begin();
  prefix_ = static_cast<std::uint32_t>(prefix.size());
  knows_prefix_ = false;
  if (!go_on(actors_[0], 0)) return false;
  while (!over_) {
    if (step_ == prefix.size() && !knows_prefix_) {
      knows_prefix_ = true;
      behind_prefix_ = places();
    }
    if (step_ < prefix.size() && must_move(prefix[step_])) {
      trace_.choices.push_back({prefix[step_], static_cast<std::uint32_t>(trace_.alternatives.size()), 1});
      trace_.alternatives.push_back(prefix[step_]);
      const Decision& taken = prefix[step_++];
      if (!take(taken)) return false;
      if (!over_) continue;
      lists_all_ = true;  // what could have been done instead of ending it matters, wherever that was
      return act_out(prefix);
    }
    if (!collect()) return false;
    if (alternatives_.empty()) {
      nobody_can_go_on();
      break;
    }
    if (step_ >= max_steps_) return false;
    Decision taken;
    if (step_ < prefix.size()) {
      const Decision& wanted = prefix[step_];
      const auto found = std::ranges::find_if(alternatives_, [&](const Decision& d) {
        return wanted.kind == DecisionKind::Any ? d.thread == wanted.thread && d.kind != DecisionKind::Flush : d == wanted;
      });
      if (found == alternatives_.end()) {
        if (wanted.kind != DecisionKind::Any) return false;
        end(TREADLE_END_STOPPED, ThreadId{static_cast<std::uint8_t>(current_)}, step_);
        break;
      }
      taken = *found;
    } else {
      taken = choose();
    }
    Choice choice;
    choice.taken = taken;
    choice.first_alternative = static_cast<std::uint32_t>(trace_.alternatives.size());
    choice.alternatives = static_cast<std::uint32_t>(alternatives_.size());
    trace_.alternatives.push_back(taken);
    for (const Decision& d : alternatives_)
      if (d != taken) trace_.alternatives.push_back(d);
    trace_.choices.push_back(choice);
    ++step_;
    if (!take(taken)) return false;
  }
  trace_.threads = program_.threads;
  trace_.texts = program_.texts;
  return !unsure_;
}

/// Within the prefix, what else could have been done is of no interest but for other ways in which the same thread could have gone on;
/// and one that needs nothing but its turn has none. Only waits for condition variables look further (PartialOrder::had_way_out).
bool Rehearsal::must_move(const Decision& decision) {
  const Actor& actor = actors_[index_of(decision.thread)];
  return !lists_all_ && decision.kind == DecisionKind::Step && actor.live && actor.at->never_waits && !actor.at->opaque &&
         actor.buffer.stores.empty() && exclusive_ == 0 && !waits_;
}

bool Rehearsal::take(const Decision& decision) {
  const unsigned id = index_of(decision.thread);
  if (decision.kind == DecisionKind::Flush) return flush(id, decision.argument);
  Actor& actor = actors_[id];
  current_ = id;
  ++actor.iteration_steps;
  const bool known = make_event(actor, id, decision) && go_on(actor, id);
  actor.time_then = time_.key();
  return known;
}

/// Until the thread announces its next visible operation.
bool Rehearsal::go_on(Actor& actor, unsigned id) {
  while (actor.live && !over_) {
    if (actor.at->ending) {
      end_as(*actor.at->ending);
      return true;
    }
    if (actor.at->refusal && actor.at->refusal->announced && !actor.at->knows_next) return true;
    if (const HowItEnded* const end = refused(*actor.at); end != nullptr && !actor.at->refusal->announced) {
      end_as(*end);
      return true;
    }
    if (actor.at->opaque || !actor.at->knows_next) return false;
    if (actor.at->announced) {
      arrive(actor);
      return true;
    }
    if (!make_event(actor, id, {DecisionKind::Step, ThreadId{static_cast<std::uint8_t>(id)}, 0})) return false;
  }
  return true;
}

/// A fruitless iteration that began within the prefix is not repeated (runtime/spin.cpp, block()).
void Rehearsal::arrive(Actor& actor) {
  if (actor.at->next.kind != TREADLE_EV_SPIN) return;
  actor.stands_still = actor.first_at < prefix_;
  if (actor.stands_still && actor.iteration_steps == 1 && actor.first_at + 1 == prefix_)
    end(TREADLE_END_STOPPED, ThreadId{static_cast<std::uint8_t>(&actor - actors_.data())}, step_);
}

bool Rehearsal::make_event(Actor& actor, unsigned id, const Decision& decision) {
  const Place& place = *actor.at;
  if (const HowItEnded* const end = refused(place)) {
    end_as(*end);
    return true;
  }
  if (place.opaque || !place.knows_next || (place.from_the_end && place.next.kind != TREADLE_EV_SPIN)) return false;
  if (place.next.kind == TREADLE_EV_SPIN) {
    if (actor.iteration == nullptr) return false;
    Event event = place.next;
    event.value = actor.iteration_steps - 1;
    event.extra = actor.watched.size();
    if (const Watch* why = changed(actor)) event.address = why->address;
    record(event, id);
    actor.at = actor.iteration;
    actor.rf = actor.rf_before;
    actor.writes = actor.writes_before;
    return true;
  }
  if (const Short done = access_memory(actor, id); done != Short::TakeTheLongWay) return done == Short::Done;
  const auto found = outcome(actor, id, place.next, decision);
  const Place::Branch* branch = found ? place.branch(*found) : nullptr;
  if (branch == nullptr) return false;
  Event event = branch->event;
  if (touches_freed(event) || (event.size <= 8 && !fill_in(actor, event, decision))) return false;
  Place* const before = actor.at;
  actor.at = branch->after;
  actor.from = before;
  if (event.kind == TREADLE_EV_NONE) return true;
  record(event, id);
  apply(actor, id, trace_.events.back(), decision);
  if (before->disturbed || before->ruleless) beyond_rules_ = true;
  if (event.kind == TREADLE_EV_ITERATION) actor.iteration = event.value == 0 && event.address == 0 ? nullptr : before;
  return !lost_;
}

void Rehearsal::record(Event event, unsigned id) {
  event.thread = static_cast<std::uint8_t>(id);
  event.step = step_ == 0 ? 0 : step_ - 1;
  trace_.events.push_back(event);
}

bool Rehearsal::collect() {
  alternatives_.clear();
  if (exclusive_ > 0 && actors_[exclusive_owner_].live) {
    if (!add_moves(exclusive_owner_)) return false;
    if (!alternatives_.empty()) return true;
  }
  for (unsigned id = 0; id <= highest_; ++id)
    if (actors_[id].live && !add_moves(id)) return false;
  return true;
}

bool Rehearsal::add_moves(unsigned id) {
  const Actor& actor = actors_[id];
  const ThreadId thread{static_cast<std::uint8_t>(id)};
  if (actor.at->never_waits && actor.buffer.stores.empty() && !actor.at->opaque) {
    alternatives_.push_back({DecisionKind::Step, thread, 0});
    return true;
  }
  const Can can = can_move(actor, id);
  if (can == Can::Unknown) return false;
  if (actor.at->ruleless && !actor.at->never_waits) {
    bool unknown = false;
    if (!awaits_own_buffer(actor, unknown))
      for (const Decision& d : present_circumstances(actor, id)->moves) alternatives_.push_back(d);
  } else if (can == Can::Move) {
    const Event& next = actor.at->next;
    const bool chooses = next.kind == TREADLE_EV_COND_SIGNAL || (next.kind == TREADLE_EV_FUTEX_WAKE && next.extra == 1);
    const auto waiting = chooses ? waiters_.find(next.address) : waiters_.end();
    if (waiting != waiters_.end() && !waiting->second.empty())
      for (const std::uint8_t who : waiting->second) alternatives_.push_back({DecisionKind::Wake, thread, who});
    else
      alternatives_.push_back({DecisionKind::Step, thread, 0});
  } else {
    bool unknown = false;
    if (!awaits_own_buffer(actor, unknown)) {
      if (actor.at->times_out()) alternatives_.push_back({DecisionKind::Timeout, thread, 0});
      if (spurious_ && is_woken(actor.at->next.kind)) alternatives_.push_back({DecisionKind::Spurious, thread, 0});
    }
  }
  for (std::size_t i = 0; i < actor.buffer.stores.size(); ++i)
    if (may_flush(actor.buffer, i)) alternatives_.push_back({DecisionKind::Flush, thread, actor.buffer.stores[i].number});
  return true;
}

/// As choose_continue() in runtime/policy.cpp.
const Decision& Rehearsal::choose() const {
  const Decision* best = nullptr;
  unsigned best_rank = ~0u;
  for (const Decision& d : alternatives_) {
    const unsigned distance = (index_of(d.thread) + 256u - current_) & 255u;
    const bool step = d.kind == DecisionKind::Step || d.kind == DecisionKind::Wake;
    bool unknown = false;
    const bool goes_on = step || (d.kind == DecisionKind::Flush && awaits_own_buffer(actors_[index_of(d.thread)], unknown));
    const unsigned rank = distance + (goes_on ? 0 : d.kind == DecisionKind::Flush ? 256 : d.kind == DecisionKind::Timeout ? 512 : 768);
    if (rank < best_rank) {
      best_rank = rank;
      best = &d;
    }
  }
  return *best;
}

void Rehearsal::nobody_can_go_on() {
  const ThreadId thread{static_cast<std::uint8_t>(current_)};
  bool spinning = false;
  for (unsigned id = 0; id <= highest_; ++id) {
    const Actor& actor = actors_[id];
    if (!actor.live || actor.at->next.kind != TREADLE_EV_SPIN) continue;
    if (actor.stands_still && changed(actor) != nullptr) return end(TREADLE_END_STOPPED, thread, step_);
    spinning = true;
  }
  end(spinning ? TREADLE_END_LIVELOCK : TREADLE_END_DEADLOCK, thread, 0);
}

void Rehearsal::end(Ending ending, ThreadId thread, std::uint64_t detail) {
  HowItEnded how;
  how.ending = ending;
  how.thread = thread;
  how.detail = detail;
  if (const Place* at = actors_[index_of(thread)].at; at != nullptr) how.pc = at->next.pc;
  end_as(how);
}

void Rehearsal::end_as(const HowItEnded& how) {
  over_ = true;
  trace_.end = how;
  if (how.ending != TREADLE_END_COMPLETED || live_ > 1) describe_pending();
}

void Rehearsal::describe_pending() {
  for (unsigned id = 0; id <= highest_; ++id) {
    const Actor& actor = actors_[id];
    if (!actor.exists) continue;
    PendingOperation pending;
    pending.thread = ThreadId{static_cast<std::uint8_t>(id)};
    pending.state = TREADLE_THREAD_FINISHED;
    if (actor.live && actor.at->ruleless && index_of(trace_.end.thread) != id) {
      const Place::Circumstances* const seen = present_circumstances(actor, id);
      unsure_ |= seen == nullptr || !seen->pending;
      if (!unsure_) pending = *seen->pending;
    } else if (actor.live) {
      const bool ends_it = index_of(trace_.end.thread) == id && refused(*actor.at) != nullptr;
      const bool announced = actor.at->knows_next && actor.at->announced && !actor.at->ending && !ends_it;
      unsure_ |= !actor.at->knows_next && actor.at->refusal && !ends_it;
      pending.enabled = !announced || can_move(actor, id) == Can::Move;
      pending.state = pending.enabled ? TREADLE_THREAD_READY : TREADLE_THREAD_BLOCKED;
      if (announced) {
        const Event& next = actor.at->next;
        pending.kind = static_cast<EventKind>(next.kind == TREADLE_EV_CAS_FAIL ? TREADLE_EV_CAS_OK : next.kind);
        pending.pc = next.pc;
        pending.address = next.kind == TREADLE_EV_SPIN && !actor.watched.empty() ? actor.watched.front().address : next.address;
        pending.size = next.size;
        pending.extra = next.extra;
        if (next.kind == TREADLE_EV_THREAD_JOIN) pending.size = 0, pending.extra = next.value + 1;
        if (is_at_futex(next.kind)) pending.size = 0, pending.extra = next.kind == TREADLE_EV_FUTEX_WAKE ? UINT32_MAX : 0;  // all bits
        pending.only_reads = pending.enabled && would_only_read(actor);
      }
    }
    trace_.pending.push_back(pending);
  }
}

/// In an iteration of a spin loop that has led nowhere so far, which might as well not have begun.
bool Rehearsal::spins(const Actor& actor) const {
  return actor.live && actor.at->knows_next && actor.at->next.kind == TREADLE_EV_SPIN && actor.iteration != nullptr;
}

std::uint64_t Rehearsal::values_key() const {
  Hash key;
  for (unsigned id = 0; id <= highest_; ++id) {
    const Actor& actor = actors_[id];
    if (actor.exists) key.add(id).add((spins(actor) ? actor.iteration : actor.at)->key);
  }
  return key.value();
}

std::uint64_t Rehearsal::reads_from_key() const {
  Hash key;
  key.add(values_key());
  for (unsigned id = 0; id <= highest_; ++id) {
    const Actor& actor = actors_[id];
    if (actor.exists) key.add(spins(actor) ? actor.rf_before : actor.rf);
  }
  return key.value();
}

}  // namespace treadle
