// SPDX-License-Identifier: Apache-2.0
// Operations that the rules do not know (rehearsal_rules.cpp): with signals and cancellation, of the clock, joins and locks that fail, on
// more than eight bytes at once. Not on descriptors: their state is the kernel's, and changes without an event. What such an operation
// returns, and whether it can be made, is determined by its circumstances: the operations on the same things that came before it, in their
// order as far as it makes a difference. That is what partial order reduction rests on, too. So what was seen once happens again in the
// same circumstances, whatever else is different; in others, nothing is known.
//
// Somebody who is cancelled, or sent a signal, stands somewhere else from then on: what he does there is another thing than what he would
// have done. Whether he may go on depends on him, not on the rules alone; they are a part of the circumstances then.
#include <algorithm>
#include <utility>

#include "explore/rehearsal.h"

namespace treadle {
namespace {

/// Whose turn may not have come, or need not, once somebody has disturbed the thread.
bool may_wait(unsigned kind) {
  switch (static_cast<EventKind>(kind)) {
    case TREADLE_EV_LOCK:
    case TREADLE_EV_TIMEDLOCK:
    case TREADLE_EV_SPIN_LOCK:
    case TREADLE_EV_RDLOCK:
    case TREADLE_EV_TIMEDRDLOCK:
    case TREADLE_EV_WRLOCK:
    case TREADLE_EV_TIMEDWRLOCK:
    case TREADLE_EV_ONCE_BEGIN:
    case TREADLE_EV_SEM_WAIT:
    case TREADLE_EV_SEM_TIMEDWAIT:
    case TREADLE_EV_COND_WOKEN:
    case TREADLE_EV_FUTEX_WOKEN:
    case TREADLE_EV_BARRIER_LEAVE:
    case TREADLE_EV_THREAD_JOIN:
    case TREADLE_EV_TEST_CANCEL:
    case TREADLE_EV_NONE:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::uint64_t outcome_in(std::uint64_t circumstances, const Decision& decision) {
  return Hash{}.add(circumstances).add(static_cast<std::uint64_t>(decision.kind)).add(decision.argument).value();
}

std::optional<std::uint64_t> Rehearsal::circumstances(const Actor& actor, unsigned id, const Event& next) const {
  Hash key;
  switch (static_cast<EventKind>(next.kind)) {
    case TREADLE_EV_CLOCK:
      return key.add(time_.key()).value();
    case TREADLE_EV_THREAD_CANCEL:
    case TREADLE_EV_SIGNAL_THREAD:
    case TREADLE_EV_THREAD_DETACH:
    case TREADLE_EV_THREAD_JOIN: {
      if (actor.at->from_the_end || next.value >= actors_.size()) return std::nullopt;
      const Actor& other = actors_[next.value];
      if (next.kind == TREADLE_EV_THREAD_DETACH) return key.add(other.exists).add(other.spoken_for).value();
      if (disturbs(next) && other.exists && next.value != id) key.add(other.at->key);
      if (next.kind == TREADLE_EV_THREAD_JOIN && is_joined_by_another(id, next.value)) return std::nullopt;
      // What is sent to one thread does not mind who else is there.
      if (next.kind == TREADLE_EV_SIGNAL_THREAD) key.add(next.size == TREADLE_SIGNAL_TO_THREAD ? signals_.written : signals_.key());
      return key.add(other.exists << 1 | other.live).add(other.life.key()).value();
    }
    case TREADLE_EV_LOCK:
    case TREADLE_EV_TRYLOCK:
    case TREADLE_EV_TIMEDLOCK:
    case TREADLE_EV_UNLOCK:
    case TREADLE_EV_SPIN_LOCK:
    case TREADLE_EV_SPIN_TRYLOCK:
    case TREADLE_EV_RDLOCK:
    case TREADLE_EV_TRYRDLOCK:
    case TREADLE_EV_TIMEDRDLOCK:
    case TREADLE_EV_WRLOCK:
    case TREADLE_EV_TRYWRLOCK:
    case TREADLE_EV_TIMEDWRLOCK:
    case TREADLE_EV_ONCE_BEGIN: {
      const auto found = locks_.find(next.address);
      const LockState lock = found == locks_.end() ? LockState{} : found->second;
      const bool mine = lock.owner == id + 1;
      const auto my_reads = std::ranges::count(lock.read_by, id);
      key.add(lock.owner != 0).add(mine ? 1 + lock.depth : 0).add(static_cast<std::uint64_t>(my_reads));
      return key.add(lock.readers != my_reads).add(lock.done).add(static_cast<std::uint64_t>(lock.robust)).value();
    }
    case TREADLE_EV_SEM_WAIT:
    case TREADLE_EV_SEM_TRYWAIT:
    case TREADLE_EV_SEM_TIMEDWAIT:
    case TREADLE_EV_SEM_POST: {
      const auto found = semaphores_.find(next.address);
      if (found == semaphores_.end()) return std::nullopt;
      return key.add(found->second).value();
    }
    case TREADLE_EV_COND_WOKEN:
    case TREADLE_EV_FUTEX_WOKEN:
      return key.add(actor.waits_on == 0).value();
    case TREADLE_EV_BARRIER_LEAVE: {
      const auto found = barriers_.find(next.address);
      if (found == barriers_.end()) return std::nullopt;
      return key.add(found->second.round > actor.round).value();
    }
    case TREADLE_EV_FUTEX_WAIT: {
      Writer from;
      const auto value = memory_.read(next.address, next.size, from);
      if (!value) return std::nullopt;
      return key.add(*value).value();
    }
    case TREADLE_EV_READ:
    case TREADLE_EV_WRITE:
    case TREADLE_EV_ATOMIC_READ:
    case TREADLE_EV_ATOMIC_WRITE:
    case TREADLE_EV_RMW:
    case TREADLE_EV_CAS_OK:
    case TREADLE_EV_CAS_FAIL:
      if (!actor.buffer.stores.empty()) return std::nullopt;
      return key.add(memory_.provenance(next.address, next.size)).value();
    case TREADLE_EV_NONE:  // a handler, or whatever is one by then
      return key.add(signals_.key()).value();
    default:
      return key.value();
  }
}

/// Who stands at it first has the right to it, and no event tells when that was.
bool Rehearsal::is_joined_by_another(unsigned id, std::uint64_t target) const {
  for (unsigned other = 0; other <= highest_; ++other) {
    const Actor& actor = actors_[other];
    const bool stands = other != id && actor.live && actor.at->knows_next && actor.at->next.kind == TREADLE_EV_THREAD_JOIN;
    if (stands && actor.at->next.value == target) return true;
  }
  return false;
}

/// Null: nobody has been in them there.
const Place::Circumstances* Rehearsal::present_circumstances(const Actor& actor, unsigned id) const {
  const auto key = circumstances(actor, id, actor.at->next);
  return key ? actor.at->find_in(*key) : nullptr;
}

/// What later operations find to have come before them.
void Rehearsal::note_history(Actor& actor, unsigned id, const Event& event, const Decision& decision) {
  const std::uint64_t by = actor.at->key;
  // Who sleeps adds to the time, who gives up waiting has it be what he was ready to wait for, as of when he began to.
  const auto pass_time = [&] { time_.write(Hash{}.add(by).add(actor.time_then).value()); };
  if (decision.kind == DecisionKind::Timeout) pass_time();
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_SLEEP:
      return pass_time();
    case TREADLE_EV_CLOCK:
      return time_.write(by);
    case TREADLE_EV_THREAD_CREATE:
      return signals_.look(by);
    case TREADLE_EV_THREAD_EXIT:
      signals_.look(by);
      return actor.life.write(by);
    case TREADLE_EV_THREAD_DETACH:
      if (event.value < actors_.size()) actors_[event.value].life.write(by), actors_[event.value].spoken_for = true;
      return;
    case TREADLE_EV_THREAD_JOIN:
      if (event.value < actors_.size() && event.extra == 0) actors_[event.value].life.write(by), actors_[event.value].spoken_for = true;
      return;
    case TREADLE_EV_THREAD_CANCEL:
    case TREADLE_EV_SIGNAL_THREAD:
      if (event.kind == TREADLE_EV_SIGNAL_THREAD && event.size != TREADLE_SIGNAL_TO_THREAD)
        event.extra != 0 ? signals_.write(by) : signals_.look(by);
      if (event.value < actors_.size() && event.value != id && actors_[event.value].live) disturb(actors_[event.value], by);
      return;
    default:
      return;
  }
}

/// In a loop, where it goes back to is where nobody has disturbed it yet.
void Rehearsal::disturb(Actor& actor, std::uint64_t by) {
  Place& place = *actor.at;
  beyond_rules_ = true;
  strange_ |= !place.knows_next;  // what the thread would have done there is a part of every execution in which it comes later
  const auto known = std::ranges::find(place.disturbances, by, &Place::Disturbance::by);
  if (known != place.disturbances.end()) {
    actor.at = known->after;
    return;
  }
  if (!learning_) {
    lost_ = true;
    return;
  }
  Place& after = program_.new_place(key_of_disturbed(place.key, by));
  after.before = &place;
  after.disturbed = true;
  after.opaque = place.opaque || actor.iteration != nullptr;
  place.disturbances.push_back({by, &after});
  actor.at = &after;
}

/// An operation of which the rules say something that has made another thing of it is not trusted any more. Where the rules did not say
/// what it would do, nobody has relied on them.
void Rehearsal::learn_ruleless(Place& place, const Event& event, bool rules_are_silent) {
  const bool by_rules = is_modelled(event) && !(place.disturbed && may_wait(event.kind));
  if (by_rules || place.ruleless) return;
  if (!place.branches.empty() && rules_are_silent)
    place.opaque = strange_ = true;
  else if (!place.branches.empty())
    distrust(place);
  else if (depends_on_circumstances(event) && !(place.disturbed && event.kind == TREADLE_EV_SPIN))
    place.ruleless = program_.has_ruleless = true;
  else
    place.opaque = true;
  if (place.opaque) place.never_waits = false;
}

/// Who could do what at this decision, of those about whom the rules say nothing.
void Rehearsal::learn_moves(const Trace& trace, std::uint32_t choice) {
  const Choice& at = trace.choices[choice];
  if (at.alternatives == 0 || (exclusive_ > 0 && actors_[exclusive_owner_].live)) return;
  const auto all = std::span(trace.alternatives).subspan(at.first_alternative, at.alternatives);
  for (unsigned id = 0; id <= highest_; ++id) {
    const Actor& actor = actors_[id];
    bool unknown = false;
    if (!actor.live || !actor.at->knows_next || !actor.at->ruleless || !actor.at->announced || awaits_own_buffer(actor, unknown) || unknown)
      continue;
    const auto key = circumstances(actor, id, actor.at->next);
    if (!key) continue;
    std::vector<Decision> moves;
    for (const Decision& d : all)
      if (index_of(d.thread) == id && d.kind != DecisionKind::Flush) moves.push_back(d);
    std::ranges::sort(moves, {}, [](const Decision& d) { return std::pair(d.kind, d.argument); });
    Place::Circumstances& seen = actor.at->in(*key);
    if (seen.knows_moves && seen.moves != moves) distrust(*actor.at);
    seen.knows_moves = true;
    seen.moves = std::move(moves);
  }
}

/// How the execution would end if the thread went on from there; null: it would not.
const HowItEnded* Rehearsal::refused(const Place& place) const {
  if (place.refusal == nullptr) return nullptr;
  const Place::Refusal& refusal = *place.refusal;
  const bool freed =
      refusal.by_heap && std::ranges::any_of(freed_, [&](const auto& block) { return refusal.address - block.first < block.second; });
  return (freed ? refusal.when_freed : refusal.otherwise).get();
}

void Rehearsal::learn_refusal(Place& place, const HowItEnded& end, bool announced) {
  const bool by_heap = end.ending == TREADLE_END_HEAP_BROKEN;
  if (place.refusal == nullptr) place.refusal = std::make_unique<Place::Refusal>(Place::Refusal{announced, by_heap, end.address});
  Place::Refusal& refusal = *place.refusal;
  if (refusal.announced != announced || refusal.by_heap != by_heap || refusal.address != end.address ||
      (place.knows_next && place.announced != announced))
    return distrust(place);
  const bool freed = by_heap && std::ranges::any_of(freed_, [&](const auto& block) { return end.address - block.first < block.second; });
  (freed ? refusal.when_freed : refusal.otherwise) = std::make_unique<HowItEnded>(end);
}

/// False: nothing is known of the store.
bool Rehearsal::learn_lost_store(Actor& actor, std::uint16_t number, const HowItEnded& end) {
  const auto& stores = actor.buffer.stores;
  const auto store = std::ranges::find(stores, number, &StoreUnderWay::number);
  if (store == stores.end()) return false;
  store->place->lost_store = std::make_unique<HowItEnded>(end);
  return true;
}

}  // namespace treadle
