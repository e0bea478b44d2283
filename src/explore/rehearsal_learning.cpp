// SPDX-License-Identifier: Apache-2.0
// Following a real trace: what was not known is added, and where the program did something else than what would have been acted out, the
// place is not trusted any more.
#include <algorithm>

#include "explore/rehearsal.h"
#include "trace/store_buffers.h"

namespace treadle {
namespace {

bool may_be_timed(unsigned kind) { return has_time_limit(static_cast<EventKind>(kind)) || is_woken(kind); }

bool is_cas(unsigned kind) { return kind == TREADLE_EV_CAS_OK || kind == TREADLE_EV_CAS_FAIL; }

/// Not where in the code: an iteration of a loop may be done by another copy of its body.
bool same_operation(const Event& a, const Event& b) {
  if (a.kind == TREADLE_EV_SPIN && b.kind == TREADLE_EV_SPIN) return true;  // whatever has changed
  return (a.kind == b.kind || (is_cas(a.kind) && is_cas(b.kind))) && a.address == b.address && a.size == b.size;
}

/// Determined by the thread that ends it.
bool is_local(Ending ending) {
  switch (ending) {
    case TREADLE_END_COMPLETED:
    case TREADLE_END_ASSERTION:
    case TREADLE_END_ABORTED:
    case TREADLE_END_REACHED_ERROR:
    case TREADLE_END_UNCAUGHT_EXCEPTION:
    case TREADLE_END_SIGNALLED:
    case TREADLE_END_STACK_OVERFLOW:
    case TREADLE_END_ASSUMPTION_FAILED:
      return true;
    default:
      return false;
  }
}

/// Of two operations in the same circumstances.
bool same_result(const Event& a, const Event& b) {
  return a.kind == b.kind && a.size == b.size && a.value == b.value && a.extra == b.extra;
}

bool is_global(Ending ending) { return ending == TREADLE_END_DEADLOCK || ending == TREADLE_END_LIVELOCK || ending == TREADLE_END_STOPPED; }

}  // namespace

Trace without_troubles(const Trace& trace) {
  Trace clean = trace;
  std::vector<std::uint64_t> number(trace.events.size() + 1);
  clean.events.clear();
  for (std::size_t e = 0; e < trace.events.size(); ++e) {
    number[e] = clean.events.size();
    if (!is_trouble(static_cast<EventKind>(trace.events[e].kind))) clean.events.push_back(trace.events[e]);
  }
  if (clean.events.size() == trace.events.size()) return clean;
  for (Event& event : clean.events) {
    if (event.kind == TREADLE_EV_FLUSH && event.extra < number.size()) event.extra = number[event.extra];
    if (event.kind == TREADLE_EV_FUTEX_WOKEN && event.value > 0 && event.value < number.size()) event.value = number[event.value - 1] + 1;
  }
  return clean;
}

void Rehearsal::learn(const Trace& trace) {
  if (trace.threads.size() > program_.threads.size()) program_.threads = trace.threads;
  follow(trace);
  // Who may time out, or move at all, shows only while it waits, when what it waits for may not have been known yet.
  if (beyond_rules_ || std::ranges::any_of(trace.events, [](const Event& e) { return may_be_timed(e.kind); }) ||
      std::ranges::any_of(trace.pending, [](const PendingOperation& p) { return may_be_timed(p.kind); }))
    follow(trace);
}

void Rehearsal::follow(const Trace& trace) {
  learning_ = true;
  begin();
  prefix_ = 0;
  ended_in_its_step_ = false;
  std::size_t e = 0;
  const auto events = std::span(trace.events);
  while (e < events.size() && events[e].thread == 0 && !is_visible(static_cast<EventKind>(events[e].kind), races_))
    learn_event(trace, 0, events[e++], {}, false);
  for (std::uint32_t c = 0; c < trace.choices.size() && !lost_; ++c) {
    learn_time_outs(trace, c);
    learn_moves(trace, c);
    const Decision& taken = trace.choices[c].taken;
    const unsigned id = index_of(taken.thread);
    step_ = c + 1;
    bool first = true;
    if (taken.kind == DecisionKind::Flush) {
      const bool failed = c + 1 == trace.choices.size() && trace.end.ending == TREADLE_END_HEAP_BROKEN;
      if (failed && learn_lost_store(actors_[id], taken.argument, trace.end)) continue;
      if (!failed && e < events.size() && events[e].kind == TREADLE_EV_FLUSH && flush(id, taken.argument))
        ++e;
      else
        lose(actors_[id]);
      continue;
    }
    current_ = id;
    ++actors_[id].iteration_steps;
    for (; e < events.size() && events[e].step <= c && !lost_; ++e) {
      if (events[e].thread != id) {
        lose(actors_[id]);
        break;
      }
      learn_event(trace, id, events[e], first ? taken : Decision{DecisionKind::Step, taken.thread, 0}, first);
      first &= is_trouble(static_cast<EventKind>(events[e].kind));
    }
    ended_in_its_step_ = first && c + 1 == trace.choices.size();
    // A step without an event: a signal has been handled, or nothing can be said of where the thread is now.
    if (first && !ended_in_its_step_ && !lost_) {
      if (actors_[id].live && actors_[id].at->disturbed && taken.kind == DecisionKind::Step)
        learn_event(trace, id, {}, taken, true);
      else
        lose(actors_[id]);
    }
    actors_[id].time_then = time_.key();
  }
  if (!lost_) learn_end(trace);
}

/// Nothing is acted out from there any more: what is shown there again surprises nobody, and begins no search anew.
void Rehearsal::distrust(Place& place) {
  if (!place.opaque) ++surprises_;
  place.opaque = strange_ = true;
}

void Rehearsal::lose(Actor& actor) {
  lost_ = true;
  if (actor.exists && !actor.at->knows_next)
    actor.at->opaque = true;  // nobody has relied on it
  else if (actor.exists)
    distrust(*actor.at);
  else
    ++surprises_;
}

void Rehearsal::learn_event(const Trace& trace, unsigned id, Event event, const Decision& decision, bool announced) {
  Actor& actor = actors_[id];
  if (is_trouble(static_cast<EventKind>(event.kind))) return;
  if (!actor.live) return lose(actor);
  if (event.kind == TREADLE_EV_OBSERVE || event.kind == TREADLE_EV_INPUT) {
    const std::string& text = trace.texts[event.address];
    const auto found = std::ranges::find(program_.texts, text);
    event.address = static_cast<std::uint64_t>(found - program_.texts.begin());
    if (found == program_.texts.end()) program_.texts.push_back(text);
  }
  Place& place = *actor.at;
  if (place.knows_next && !place.from_the_end && (place.announced != announced || !same_operation(place.next, event))) distrust(place);
  if (!place.knows_next || place.from_the_end) {
    place.next = event;
    place.knows_next = true;
    place.from_the_end = false;
    place.announced = announced;
    const bool sends = event.kind == TREADLE_EV_SIGNAL_THREAD && event.size != TREADLE_SIGNAL_AWAITED;
    place.never_waits = sends || never_waits(static_cast<EventKind>(event.kind));
  }
  const bool may_be_ruleless = !is_modelled(event) || place.disturbed;
  learn_ruleless(place, event, may_be_ruleless && !outcome(actor, id, place.next, decision));
  if (place.ending || (place.ruleless && event.size > 8 && actor.iteration != nullptr)) place.opaque = true;
  if (event.kind == TREADLE_EV_SPIN && actor.ruleless_in_iteration) place.opaque = strange_ = true;
  if (event.kind == TREADLE_EV_SPIN && actor.iteration != nullptr) {
    trace_.events.push_back(event);
    actor.at = actor.iteration;
    actor.rf = actor.rf_before;
    actor.writes = actor.writes_before;
    return;
  }
  if (event.kind == TREADLE_EV_SPIN) place.opaque = true;
  const std::uint64_t seen = learn_outcome(actor, id, event, decision);
  const Place::Branch* branch = place.branch(seen);
  if (branch == nullptr) {
    Place& after = program_.new_place(key_behind(place.key, seen));
    after.before = &place;
    after.disturbed = place.disturbed || (disturbs(event) && event.value == id);
    if (event.kind == TREADLE_EV_THREAD_CREATE) {
      after.child = &program_.new_place(key_of_child(after.key));
      after.child->before = &after;
    }
    place.branches.push_back({seen, event, &after});
    branch = &place.branches.back();
    if (place.by_itself && place.branches.size() > 1) distrust(place);  // not by itself after all
  }
  strange_ |= place.opaque || touches_freed(event);
  if (place.ruleless && !same_result(branch->event, event)) distrust(place);
  actor.from = &place;
  actor.ruleless_in_iteration |= place.ruleless;
  beyond_rules_ |= place.ruleless || place.disturbed;
  actor.at = branch->after;
  if (event.kind == TREADLE_EV_NONE) return;
  trace_.events.push_back(event);
  apply(actor, id, event, decision);
  if (event.kind == TREADLE_EV_ITERATION) actor.ruleless_in_iteration = false;
  if (event.kind == TREADLE_EV_ITERATION) actor.iteration = event.value == 0 && event.address == 0 ? nullptr : &place;
}

/// What the thread has seen.
std::uint64_t Rehearsal::learn_outcome(Actor& actor, unsigned id, Event& event, const Decision& decision) {
  Place& place = *actor.at;
  const std::uint64_t misuse = misuse_by(event);
  const auto with_misuse = [&](std::uint64_t outcome) { return misuse != 0 ? outcome_with(outcome, misuse) : outcome; };
  if (place.ruleless) {
    const auto key = circumstances(actor, id, event);
    if (!key) place.opaque = true;
    return with_misuse(outcome_in(key.value_or(0), decision));
  }
  learn_memory(actor, event);
  if (event.kind == TREADLE_EV_RANGE_READ) {
    const auto hash = place.by_provenance ? std::nullopt : hash_range(event.address, event.extra);
    if (!hash && place.branches.empty()) place.by_provenance = true;
    if (!hash && !place.by_provenance) place.opaque = true;
    event.value = hash.value_or(memory_.provenance(event.address, event.extra));
  }
  std::uint64_t seen = outcome_of(event);
  if (event.kind == TREADLE_EV_THREAD_JOIN && event.value < actors_.size()) seen = actors_[event.value].result;
  if (event.kind == TREADLE_EV_BARRIER_ARRIVE) seen = event.value == barriers_[event.address].parties;
  seen = with_misuse(seen);
  if (!place.opaque) {
    const auto expected = outcome(actor, id, place.next, decision);
    if (expected && *expected != seen) distrust(place);
    strange_ |= !expected;
  }
  return seen;
}

/// Reads tell what is in memory where that was not known; where it was known, they must agree.
void Rehearsal::learn_memory(const Actor& actor, const Event& event) {
  std::uint64_t value = event.value;
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_READ:
    case TREADLE_EV_ATOMIC_READ:
      if (is_buffered(event)) return;
      break;
    case TREADLE_EV_RMW:
    case TREADLE_EV_CAS_OK:
    case TREADLE_EV_CAS_FAIL:
    case TREADLE_EV_FUTEX_WAIT:
      break;
    case TREADLE_EV_WRITE:
    case TREADLE_EV_ATOMIC_WRITE:
      if (event.kind == TREADLE_EV_WRITE && races_ != Races::Explore) return;  // not recorded
      value = event.extra;
      break;
    default:
      return;
  }
  if (event.size > 8) return;
  for (unsigned i = 0; i < event.size; ++i) {
    const std::uint64_t address = event.address + i;
    const bool under_way = std::ranges::any_of(
        actor.buffer.stores, [&](const StoreUnderWay& s) { return address - s.address < s.size; });  // not what is in memory
    if (under_way && (event.kind == TREADLE_EV_READ || event.kind == TREADLE_EV_ATOMIC_READ)) continue;
    Writer from;
    const auto byte = static_cast<std::uint8_t>(value >> i * 8);
    const auto known = memory_.read_byte(address, from);
    if (!known)
      memory_.found(address, byte);
    else if (*known != byte && event.kind != TREADLE_EV_WRITE) {  // written by something that left no event
      memory_.write_byte(address, byte, from);
      const auto id = static_cast<std::uint64_t>(&actor - actors_.data());
      if (event.kind == TREADLE_EV_READ && address - (TREADLE_AT_STACKS + id * TREADLE_STACK_SLOT) < TREADLE_STACK_SLOT) {
        actor.at->by_itself = true;
      } else {
        distrust(*actor.at);
      }
    }
  }
}

void Rehearsal::learn_time_outs(const Trace& trace, std::uint32_t choice) {
  const Choice& at = trace.choices[choice];
  if (at.alternatives == 0) return;
  const auto all = std::span(trace.alternatives).subspan(at.first_alternative, at.alternatives);
  for (unsigned id = 0; id <= highest_; ++id) {
    const Actor& actor = actors_[id];
    if (!actor.live || !actor.at->knows_next || !may_be_timed(actor.at->next.kind) || actor.at->knows_time_out) continue;
    bool unknown = false;
    if (can_move(actor, id) != Can::Wait || awaits_own_buffer(actor, unknown) || unknown) continue;
    actor.at->knows_time_out = true;
    actor.at->may_time_out =
        std::ranges::any_of(all, [&](const Decision& d) { return index_of(d.thread) == id && d.kind == DecisionKind::Timeout; });
  }
}

void Rehearsal::learn_end(const Trace& trace) {
  for (const PendingOperation& pending : trace.pending) {
    Actor& actor = actors_[index_of(pending.thread)];
    if (actor.live && actor.at->ruleless && actor.at->knows_next && trace.end.thread != pending.thread)
      if (const auto key = circumstances(actor, index_of(pending.thread), actor.at->next)) actor.at->in(*key).pending = pending;
    if (!actor.live || actor.at == nullptr || actor.at->knows_next || pending.kind == TREADLE_EV_NONE) continue;
    if (trace.end.thread == pending.thread && is_local(trace.end.ending)) continue;
    Event next{};
    next.kind = static_cast<std::uint8_t>(pending.kind);
    next.size = pending.size;
    next.address = pending.address;
    next.pc = pending.pc;
    if (pending.kind == TREADLE_EV_THREAD_JOIN) next.value = pending.extra - 1;
    if (is_cas(pending.kind) || pending.kind == TREADLE_EV_RANGE_READ || pending.kind == TREADLE_EV_RANGE_WRITE)
      next.extra = pending.extra;  // what it expects; how many bytes
    actor.at->next = next;
    actor.at->knows_next = actor.at->announced = actor.at->from_the_end = true;
    actor.at->never_waits = never_waits(pending.kind);
    learn_ruleless(*actor.at, next, false);
  }
  if (trace.end.ending == TREADLE_END_DEADLOCK || trace.end.ending == TREADLE_END_LIVELOCK)  // nobody could, not even by giving up
    for (unsigned id = 0; id <= highest_; ++id)
      if (actors_[id].live && actors_[id].at->knows_next) actors_[id].at->knows_time_out = true;
  Actor& ender = actors_[index_of(trace.end.thread)];
  if (!is_global(trace.end.ending) && ender.at != nullptr) {
    const bool refused = trace.end.ending == TREADLE_END_HEAP_BROKEN || (is_local(trace.end.ending) && ended_in_its_step_);
    const Decision last = trace.choices.empty() ? Decision{} : trace.choices.back().taken;
    if (refused && last.kind == DecisionKind::Flush)
      ;  // learn_lost_store()
    else if (refused && last.thread == trace.end.thread)
      learn_refusal(*ender.at, trace.end, ended_in_its_step_);
    else if (!is_local(trace.end.ending) || ender.at->knows_next || ender.at->refusal)
      ender.at->opaque = true;
    else
      ender.at->ending = std::make_unique<HowItEnded>(trace.end);
  }
  for (unsigned id = 0; id <= highest_; ++id) {
    strange_ |= actors_[id].exists && actors_[id].at->opaque;
    beyond_rules_ |= actors_[id].live && actors_[id].at->ruleless;
  }
}

}  // namespace treadle
