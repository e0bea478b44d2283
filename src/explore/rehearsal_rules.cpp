// SPDX-License-Identifier: Apache-2.0
// What operations need and return: the runtime's primitives once more, without the program.
#include <algorithm>
#include <cerrno>

#include "explore/rehearsal.h"
#include "trace/store_buffers.h"

namespace treadle {
namespace {

constexpr std::size_t most_buffered = 64;
constexpr std::uint64_t most_permits = 2147483647;  // SEM_VALUE_MAX

EventKind kind_of(const Event& event) { return static_cast<EventKind>(event.kind); }

bool reads(const LockState& lock, unsigned id) { return std::ranges::find(lock.read_by, id) != lock.read_by.end(); }

/// Of a mutex that is free, or that the same thread has and may take again.
std::optional<std::uint64_t> outcome_of_taking(const LockState& mutex) {
  if (mutex.owner != 0) return 0;
  switch (mutex.robust) {
    case Robust::Consistent:
      return 0;
    case Robust::OwnerDied:
      return EOWNERDEAD;
    case Robust::NotRecoverable:
      return ENOTRECOVERABLE;
    case Robust::TakenOver:  // given back by a wait for a condition
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

bool Rehearsal::awaits_own_buffer(const Actor& actor, bool& unknown) const {
  if (actor.buffer.stores.empty()) return false;
  const Event& next = actor.at->next;
  const bool stores = next.kind == TREADLE_EV_WRITE || next.kind == TREADLE_EV_ATOMIC_WRITE;
  if (stores || next.kind == TREADLE_EV_FENCE) unknown |= actor.at->from_the_end;
  return !passes_buffers(next) || (stores && actor.buffer.stores.size() == most_buffered);
}

Rehearsal::Can Rehearsal::can_move(const Actor& actor, unsigned id) {
  const Place& place = *actor.at;
  if (!place.knows_next && refused(place) != nullptr) return actor.buffer.stores.empty() ? Can::Move : Can::Unknown;
  if (place.opaque || !place.knows_next) return Can::Unknown;
  const Event& next = place.next;
  bool unknown = false;
  const bool waits_for_buffer = awaits_own_buffer(actor, unknown);
  if (unknown) return Can::Unknown;
  if (waits_for_buffer) return Can::Wait;
  if (place.ruleless && !place.never_waits) {
    const Place::Circumstances* const seen = present_circumstances(actor, id);
    if (seen == nullptr || !seen->knows_moves) return Can::Unknown;
    const auto steps = [](const Decision& d) { return d.kind == DecisionKind::Step || d.kind == DecisionKind::Wake; };
    return std::ranges::any_of(seen->moves, steps) ? Can::Move : Can::Wait;
  }
  bool can = true;
  switch (kind_of(next)) {
    case TREADLE_EV_LOCK:
    case TREADLE_EV_TIMEDLOCK: {
      const LockState& lock = locks_[next.address];
      if (lock.owner == id + 1) {  // a recursive one, if it was locked twice before
        if (!std::ranges::any_of(place.branches, [](const auto& b) { return b.event.value > 1; })) return Can::Unknown;
      } else {
        can = lock.owner == 0;
      }
      break;
    }
    case TREADLE_EV_SPIN_LOCK:
    case TREADLE_EV_ONCE_BEGIN:
      can = locks_[next.address].owner == 0;
      break;
    case TREADLE_EV_RDLOCK:
    case TREADLE_EV_TIMEDRDLOCK:
      if (locks_[next.address].owner == id + 1) return Can::Unknown;
      can = locks_[next.address].owner == 0;
      break;
    case TREADLE_EV_WRLOCK:
    case TREADLE_EV_TIMEDWRLOCK:
      if (locks_[next.address].owner == id + 1) return Can::Unknown;
      can = locks_[next.address].owner == 0 && locks_[next.address].readers == 0;
      break;
    case TREADLE_EV_SEM_WAIT:
    case TREADLE_EV_SEM_TIMEDWAIT: {
      const auto found = semaphores_.find(next.address);
      if (found == semaphores_.end()) return Can::Unknown;
      can = found->second > 0;
      break;
    }
    case TREADLE_EV_COND_WOKEN:
    case TREADLE_EV_FUTEX_WOKEN:
      can = actor.waits_on == 0;
      break;
    case TREADLE_EV_FUTEX_WAKE:  // how many is told by the event
      if (place.from_the_end || !is_modelled(next)) return Can::Unknown;
      break;
    case TREADLE_EV_BARRIER_LEAVE:
      can = barriers_[next.address].round > actor.round;
      break;
    case TREADLE_EV_THREAD_JOIN: {
      if (next.value >= actors_.size() || next.value == id) return Can::Unknown;
      const Actor& target = actors_[next.value];
      if (!target.exists || target.spoken_for || is_joined_by_another(id, next.value)) return Can::Unknown;
      can = !target.live;
      if (!can && target.at->knows_next && target.at->next.kind == TREADLE_EV_THREAD_JOIN && target.at->next.value == id)
        return Can::Unknown;
      break;
    }
    case TREADLE_EV_SPIN:
      if (actor.iteration == nullptr) return Can::Unknown;
      can = !actor.stands_still && changed(actor) != nullptr;
      break;
    default:
      if (!is_modelled(next)) return Can::Unknown;
  }
  if (!can && is_woken(next.kind) && !place.knows_time_out && !learning_) return Can::Unknown;
  return can ? Can::Move : Can::Wait;
}

/// As `would_fail` of the runtime's pending operations.
bool Rehearsal::would_only_read(const Actor& actor) {
  const Event& next = actor.at->next;
  switch (kind_of(next)) {
    case TREADLE_EV_CAS_OK:
    case TREADLE_EV_CAS_FAIL: {
      const std::uint64_t expected = actor.at->from_the_end ? next.extra : next.kind == TREADLE_EV_CAS_OK ? next.value : next.extra;
      Writer from;
      const auto value = memory_.read(next.address, next.size, from);
      return value && *value != expected;
    }
    case TREADLE_EV_TRYLOCK:
    case TREADLE_EV_SPIN_TRYLOCK:
      return locks_[next.address].owner != 0;
    case TREADLE_EV_TRYRDLOCK:
      return locks_[next.address].owner != 0;
    case TREADLE_EV_TRYWRLOCK:
      return locks_[next.address].owner != 0 || locks_[next.address].readers != 0;
    case TREADLE_EV_SEM_TRYWAIT:
      return semaphores_[next.address] == 0;
    case TREADLE_EV_COND_SIGNAL:
    case TREADLE_EV_COND_BROADCAST:
    case TREADLE_EV_FUTEX_WAKE:
      return waiters_[next.address].empty();
    default:
      return false;
  }
}

std::uint64_t Rehearsal::woken_at_futex(const Event& wake, const Decision& decision) {
  return decision.kind == DecisionKind::Wake ? 1 : std::min<std::uint64_t>(wake.extra, waiters_[wake.address].size());
}

/// What the thread would learn from its next operation; nothing: cannot be told.
/// What is told besides, as a finding, and makes another class of it; 0: nothing.
std::uint64_t Rehearsal::misuse_by(const Event& event) const {
  if (event.kind == TREADLE_EV_COND_WAIT) {
    const auto waiting = waiters_.find(event.address);
    const auto with_another = [&](std::uint8_t who) { return actors_[who].waits_with != event.value; };
    if (waiting != waiters_.end() && std::ranges::any_of(waiting->second, with_another)) return TREADLE_MISUSE_COND_TWO_MUTEXES + 1;
  }
  if (event.kind == TREADLE_EV_SEM_DESTROY) {
    const auto value = semaphores_.find(event.address);
    const auto waits = [&](const Actor& actor) {
      const unsigned kind = actor.live && actor.at->knows_next ? actor.at->next.kind : TREADLE_EV_NONE;
      return (kind == TREADLE_EV_SEM_WAIT || kind == TREADLE_EV_SEM_TIMEDWAIT) && actor.at->next.address == event.address;
    };
    if (value != semaphores_.end() && value->second == 0 && std::ranges::any_of(actors_, waits)) return TREADLE_MISUSE_DESTROY_IN_USE + 1;
  }
  const bool uses_object = event.kind > TREADLE_EV_MUTEX_INIT && event.kind <= TREADLE_EV_ONCE_END;
  return uses_object && std::ranges::find(destroyed_, event.address) != destroyed_.end() ? TREADLE_MISUSE_DESTROYED_OBJECT + 1 : 0;
}

std::optional<std::uint64_t> Rehearsal::outcome(Actor& actor, unsigned id, const Event& next, const Decision& decision) {
  const auto seen = outcome_by_rules(actor, id, next, decision);
  const std::uint64_t misuse = seen ? misuse_by(next) : 0;
  return misuse != 0 ? outcome_with(*seen, misuse) : seen;
}

std::optional<std::uint64_t> Rehearsal::outcome_by_rules(Actor& actor, unsigned id, const Event& next, const Decision& decision) {
  const bool timed_out = decision.kind == DecisionKind::Timeout;
  Writer from;
  bool own;
  if (actor.at->ruleless) {
    const auto key = circumstances(actor, id, next);
    return key ? std::optional(outcome_in(*key, decision)) : std::nullopt;
  }
  switch (kind_of(next)) {
    case TREADLE_EV_READ:
    case TREADLE_EV_ATOMIC_READ:
      if (actor.at->by_itself && !actor.at->branches.empty()) return actor.at->branches.front().outcome;
      return see(actor, next.address, next.size, from, own);
    case TREADLE_EV_RMW:
      return memory_.read(next.address, next.size, from);
    case TREADLE_EV_CAS_OK:
    case TREADLE_EV_CAS_FAIL: {
      const auto value = memory_.read(next.address, next.size, from);
      if (!value) return std::nullopt;
      const std::uint64_t expected = next.kind == TREADLE_EV_CAS_OK ? next.value : next.extra;
      Event event = next;
      event.kind = *value == expected ? TREADLE_EV_CAS_OK : TREADLE_EV_CAS_FAIL;
      event.value = *value;
      return outcome_of(event);
    }
    case TREADLE_EV_RANGE_READ:
      return actor.at->by_provenance ? memory_.provenance(next.address, next.extra) : hash_range(next.address, next.extra);
    case TREADLE_EV_LOCK:
      return outcome_of_taking(locks_[next.address]);
    case TREADLE_EV_TIMEDLOCK:
      return timed_out ? ETIMEDOUT : outcome_of_taking(locks_[next.address]);
    case TREADLE_EV_TIMEDRDLOCK:
    case TREADLE_EV_TIMEDWRLOCK:
    case TREADLE_EV_SEM_TIMEDWAIT:
      return timed_out ? ETIMEDOUT : 0;
    case TREADLE_EV_TRYLOCK:
      if (locks_[next.address].owner == id + 1) return std::nullopt;
      return locks_[next.address].owner == 0 ? outcome_of_taking(locks_[next.address]) : EBUSY;
    case TREADLE_EV_SPIN_TRYLOCK:
      return locks_[next.address].owner == 0 ? 0 : EBUSY;
    case TREADLE_EV_TRYRDLOCK:
      if (locks_[next.address].owner == id + 1) return std::nullopt;
      return locks_[next.address].owner == 0 ? 0 : EBUSY;
    case TREADLE_EV_TRYWRLOCK:
      if (locks_[next.address].owner == id + 1) return std::nullopt;
      return locks_[next.address].owner == 0 && locks_[next.address].readers == 0 ? 0 : EBUSY;
    case TREADLE_EV_SEM_TRYWAIT: {
      const auto found = semaphores_.find(next.address);
      if (found == semaphores_.end()) return std::nullopt;
      return found->second > 0 ? 0 : EAGAIN;
    }
    case TREADLE_EV_SEM_GETVALUE: {
      const auto found = semaphores_.find(next.address);
      if (found == semaphores_.end()) return std::nullopt;
      return found->second;
    }
    case TREADLE_EV_SEM_POST:
      if (!semaphores_.contains(next.address) || semaphores_.at(next.address) >= most_permits) return std::nullopt;
      return 0;
    case TREADLE_EV_COND_WOKEN:
      return timed_out ? 1 : decision.kind == DecisionKind::Spurious ? 2 : 0;
    case TREADLE_EV_TEST_CANCEL:  // of a thread that nobody has cancelled
      return 0;
    case TREADLE_EV_FUTEX_WAIT:
      return memory_.read(next.address, next.size, from);
    case TREADLE_EV_FUTEX_WOKEN:
      return timed_out;
    case TREADLE_EV_FUTEX_WAKE:
      if (!is_modelled(next)) return std::nullopt;
      return next.size == 1 ? 0 : woken_at_futex(next, decision);
    case TREADLE_EV_ONCE_BEGIN:
      return locks_[next.address].done ? 0 : 1;
    case TREADLE_EV_THREAD_JOIN:
      if (actors_[next.value].spoken_for || is_joined_by_another(id, next.value)) return std::nullopt;
      return actors_[next.value].result;
    case TREADLE_EV_BARRIER_ARRIVE: {
      const BarrierState& barrier = barriers_[next.address];
      if (barrier.parties == 0) return std::nullopt;
      return barrier.arrived + 1 == barrier.parties ? 1 : 0;
    }
    // Misuse is the runtime's to tell.
    case TREADLE_EV_UNLOCK:
      if (locks_[next.address].owner != id + 1) return std::nullopt;
      return next.extra;  // the thread ends, or does not
    case TREADLE_EV_SPIN_UNLOCK:
      if (locks_[next.address].owner != id + 1) return std::nullopt;
      return 0;
    case TREADLE_EV_COND_WAIT:
      if (locks_[next.value].owner != id + 1 || locks_[next.value].robust != Robust::Consistent) return std::nullopt;
      return 0;
    case TREADLE_EV_RWUNLOCK: {
      const LockState& lock = locks_[next.address];
      if (lock.owner != id + 1 && !reads(lock, id)) return std::nullopt;
      return 0;
    }
    case TREADLE_EV_MUTEX_DESTROY:
    case TREADLE_EV_RWLOCK_DESTROY:
    case TREADLE_EV_SPIN_DESTROY:
      if (locks_[next.address].owner != 0 || locks_[next.address].readers != 0) return std::nullopt;
      return 0;
    case TREADLE_EV_COND_DESTROY:
      if (!waiters_[next.address].empty()) return std::nullopt;
      return 0;
    case TREADLE_EV_BARRIER_DESTROY:
      if (barriers_[next.address].arrived != 0) return std::nullopt;
      return 0;
    default:
      if (!is_modelled(next)) return std::nullopt;
      return outcome_of(next);
  }
}

/// The fields that depend on what others have done.
bool Rehearsal::fill_in(Actor& actor, Event& event, const Decision& decision) {
  Writer from = 0;
  bool own = false;
  switch (kind_of(event)) {
    case TREADLE_EV_READ:
    case TREADLE_EV_ATOMIC_READ:
      see(actor, event.address, event.size, from, own);
      event.order = static_cast<std::uint8_t>((event.order & ~TREADLE_ORDER_BUFFERED) | (own ? TREADLE_ORDER_BUFFERED : 0));
      return true;
    case TREADLE_EV_WRITE:
    case TREADLE_EV_ATOMIC_WRITE: {
      if (event.kind == TREADLE_EV_WRITE && races_ != Races::Explore) return true;
      const auto before = memory_.read(event.address, event.size, from);
      if (!before && event.kind == TREADLE_EV_ATOMIC_WRITE) return false;
      event.extra = before.value_or(event.extra);
      return true;
    }
    case TREADLE_EV_RANGE_READ:
      event.value = 0;
      return true;
    case TREADLE_EV_LOCK:
    case TREADLE_EV_TRYLOCK:
    case TREADLE_EV_TIMEDLOCK: {
      const LockState& lock = locks_[event.address];
      event.value = event.extra == 0 || event.extra == EOWNERDEAD ? lock.depth + 1 : lock.depth;
      return true;
    }
    case TREADLE_EV_UNLOCK:
      event.value = event.extra == EOWNERDEAD ? 0 : locks_[event.address].depth - 1;
      return true;
    case TREADLE_EV_RDLOCK:
    case TREADLE_EV_TRYRDLOCK:
    case TREADLE_EV_TIMEDRDLOCK:
      event.value = locks_[event.address].readers + (event.extra == 0 ? 1 : 0);
      return true;
    case TREADLE_EV_WRLOCK:
    case TREADLE_EV_TRYWRLOCK:
    case TREADLE_EV_TIMEDWRLOCK:
      event.value = locks_[event.address].readers;
      return true;
    case TREADLE_EV_RWUNLOCK: {
      const LockState& lock = locks_[event.address];
      event.extra = lock.owner != 0;
      event.value = lock.readers - (lock.owner == 0 ? 1 : 0);
      return true;
    }
    case TREADLE_EV_COND_SIGNAL:
      event.value = decision.kind == DecisionKind::Wake ? decision.argument + 1u : 0;
      return true;
    case TREADLE_EV_COND_BROADCAST:
      event.value = waiters_[event.address].size();
      return true;
    case TREADLE_EV_FUTEX_WOKEN:
      event.value = actor.woken_by;
      return true;
    case TREADLE_EV_FUTEX_WAKE:
      event.value = woken_at_futex(event, decision);
      return true;
    case TREADLE_EV_SEM_WAIT:
    case TREADLE_EV_SEM_TRYWAIT:
    case TREADLE_EV_SEM_TIMEDWAIT:
      event.value = semaphores_[event.address] - (event.extra == 0 ? 1 : 0);
      return true;
    case TREADLE_EV_SEM_POST:
      event.value = semaphores_[event.address] + 1;
      return true;
    case TREADLE_EV_BARRIER_ARRIVE:
      event.value = barriers_[event.address].arrived + 1;
      event.extra = barriers_[event.address].round;
      return true;
    case TREADLE_EV_BARRIER_LEAVE:
      event.extra = actor.round;
      return true;
    default:
      return true;
  }
}

}  // namespace treadle
