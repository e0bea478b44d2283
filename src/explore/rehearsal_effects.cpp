// SPDX-License-Identifier: Apache-2.0
// What operations do, once it is known what they return.
#include <algorithm>
#include <cerrno>

#include "explore/rehearsal.h"
#include "trace/happens_before.h"
#include "trace/store_buffers.h"

namespace treadle {
void Rehearsal::release_mutex(std::uint64_t address) {
  LockState& lock = locks_[address];
  if (lock.depth > 0 && --lock.depth > 0) return;
  lock.owner = 0;
}

/// The one that was chosen, or those who came first.
void Rehearsal::wake_at_futex(const Event& event, const Decision& decision) {
  std::vector<std::uint8_t>& waiting = waiters_[event.address];
  const auto go = [&](std::uint8_t who) {
    actors_[who].waits_on = 0;
    actors_[who].woken_by = trace_.events.size();  // the last one
    std::erase(waiting, who);
  };
  if (decision.kind == DecisionKind::Wake) return go(static_cast<std::uint8_t>(decision.argument));
  for (std::uint64_t n = event.value; n > 0 && !waiting.empty(); --n) go(waiting.front());
}

void Rehearsal::apply(Actor& actor, unsigned id, const Event& event, const Decision& decision) {
  const auto read_from = [&](Writer from) { actor.rf = (actor.rf ^ from ^ actor.rf >> 29) * 0xbf58476d1ce4e5b9ull; };
  note_history(actor, id, event, decision);
  if (event.size > 8 && (reads_memory(static_cast<EventKind>(event.kind)) || writes_memory(static_cast<EventKind>(event.kind)))) {
    if (writes_memory(static_cast<EventKind>(event.kind)))
      memory_.begin_block(event.address, event.size, *actor.at, (static_cast<std::uint64_t>(id) + 1) << 40 | ++actor.writes);
    return;
  }
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_READ:
    case TREADLE_EV_ATOMIC_READ: {
      Writer from = 0;
      bool own;
      const auto value = see(actor, event.address, event.size, from, own);
      read_from(from);
      if (value && *value != event.value && !learning_) memory_.write(event.address, event.size, event.value, from);  // by_itself
      if (event.kind == TREADLE_EV_ATOMIC_READ || races_ == Races::Explore) watch(actor, event, event.value);
      return;
    }
    case TREADLE_EV_CAS_FAIL: {
      Writer from = 0;
      memory_.read(event.address, event.size, from);
      read_from(from);
      return watch(actor, event, event.value);
    }
    case TREADLE_EV_RMW:
    case TREADLE_EV_CAS_OK: {
      Writer from = 0;
      memory_.read(event.address, event.size, from);
      read_from(from);
      store(actor, id, event);
      if (event.value == event.extra) watch(actor, event, event.value);
      return;
    }
    case TREADLE_EV_WRITE:
    case TREADLE_EV_ATOMIC_WRITE:
      if (!is_buffered(event) && event.extra == event.value && (event.kind == TREADLE_EV_ATOMIC_WRITE || races_ == Races::Explore))
        watch(actor, event, event.value);
      return store(actor, id, event);
    case TREADLE_EV_RANGE_WRITE:
    case TREADLE_EV_ALLOC: {
      const std::uint64_t bytes = event.kind == TREADLE_EV_ALLOC ? event.value : event.extra;
      if (event.kind == TREADLE_EV_ALLOC)
        std::erase_if(freed_,
                      [&](const auto& block) { return block.first < event.address + bytes && event.address < block.first + block.second; });
      return memory_.begin_block(event.address, bytes, *actor.at, (static_cast<std::uint64_t>(id) + 1) << 40 | ++actor.writes);
    }
    case TREADLE_EV_FREE:
      freed_.emplace_back(event.address, std::max<std::uint64_t>(event.value, 1));
      for (StoreUnderWay& s : actor.buffer.stores)
        for (unsigned i = 0; i < s.size; ++i)
          if (s.address + i - event.address < event.value) s.lost |= static_cast<std::uint8_t>(1u << i);
      return;
    case TREADLE_EV_FENCE:
      watch(actor, event, 0);
      if (((event.order & 7) == 3 || (event.order & 7) == 4) && !actor.buffer.stores.empty()) ++actor.buffer.fences;
      return;
    case TREADLE_EV_ITERATION:
      actor.rf_before = actor.rf;
      actor.writes_before = actor.writes;
      actor.iteration_steps = 0;
      actor.first_at = UINT32_MAX;
      actor.watched.clear();
      return;

    case TREADLE_EV_THREAD_CREATE: {
      if (event.value == 0 || event.value >= actors_.size() || actor.at->child == nullptr) {
        lost_ = true;
        return;
      }
      const auto child = static_cast<unsigned>(event.value);
      highest_ = std::max(highest_, child);
      actors_[child].exists = actors_[child].live = true;
      actors_[child].at = actor.at->child;
      ++live_;
      return;
    }
    case TREADLE_EV_THREAD_EXIT:
      actor.result = event.value;
      if (live_ == 1) return;  // the last one leaves the program
      --live_;
      actor.live = false;
      return;

    case TREADLE_EV_MUTEX_INIT:
    case TREADLE_EV_RWLOCK_INIT:
    case TREADLE_EV_SPIN_INIT:
      locks_[event.address] = {};
      std::erase(destroyed_, event.address);
      return;
    case TREADLE_EV_COND_INIT:
      std::erase(destroyed_, event.address);
      return;
    case TREADLE_EV_MUTEX_DESTROY:
    case TREADLE_EV_RWLOCK_DESTROY:
    case TREADLE_EV_SPIN_DESTROY:
    case TREADLE_EV_COND_DESTROY:
    case TREADLE_EV_BARRIER_DESTROY:
    case TREADLE_EV_SEM_DESTROY:
      if (event.extra == 0) destroyed_.push_back(event.address);
      return;
    case TREADLE_EV_LOCK:
    case TREADLE_EV_TRYLOCK:
    case TREADLE_EV_TIMEDLOCK:
    case TREADLE_EV_SPIN_LOCK:
    case TREADLE_EV_SPIN_TRYLOCK: {
      LockState& lock = locks_[event.address];
      if (event.extra == ENOTRECOVERABLE) return;
      if (event.extra != 0 && event.extra != EOWNERDEAD) return watch(actor, event, lock.owner);
      lock.owner = id + 1;
      ++lock.depth;
      if (event.extra == EOWNERDEAD) lock.robust = Robust::TakenOver;
      return;
    }
    case TREADLE_EV_UNLOCK: {
      LockState& lock = locks_[event.address];
      if (event.extra == 0) release_mutex(event.address);
      if (event.extra == 0 && lock.owner == 0) lock.robust = event.size == 1 ? Robust::NotRecoverable : Robust::Consistent;
      if (event.extra == EOWNERDEAD) lock.owner = lock.depth = 0, lock.robust = Robust::OwnerDied;
      return;
    }
    case TREADLE_EV_SPIN_UNLOCK:
      return release_mutex(event.address);
    case TREADLE_EV_RDLOCK:
    case TREADLE_EV_TRYRDLOCK:
    case TREADLE_EV_TIMEDRDLOCK: {
      LockState& lock = locks_[event.address];
      if (event.extra != 0) return watch(actor, event, lock.owner | static_cast<std::uint64_t>(lock.readers) << 32);
      ++lock.readers;
      lock.read_by.push_back(static_cast<std::uint8_t>(id));
      return;
    }
    case TREADLE_EV_WRLOCK:
    case TREADLE_EV_TRYWRLOCK:
    case TREADLE_EV_TIMEDWRLOCK: {
      LockState& lock = locks_[event.address];
      if (event.extra != 0) return watch(actor, event, lock.owner | static_cast<std::uint64_t>(lock.readers) << 32);
      lock.owner = id + 1;
      return;
    }
    case TREADLE_EV_RWUNLOCK: {
      LockState& lock = locks_[event.address];
      if (lock.owner != 0) {
        lock.owner = 0;
      } else if (lock.readers > 0) {
        --lock.readers;
        const auto mine = std::ranges::find(lock.read_by, id);
        if (mine != lock.read_by.end()) lock.read_by.erase(mine);
      }
      return;
    }
    case TREADLE_EV_ONCE_BEGIN:
      if (event.value == 1)
        locks_[event.address].owner = id + 1;
      else
        watch(actor, event, 0);
      return;
    case TREADLE_EV_ONCE_END:
      locks_[event.address].owner = 0;
      locks_[event.address].done = true;
      return;

    case TREADLE_EV_COND_WAIT:
      waits_ = true;
      actor.waits_on = event.address;
      actor.waits_with = event.value;
      waiters_[event.address].push_back(static_cast<std::uint8_t>(id));
      return release_mutex(event.value);
    case TREADLE_EV_COND_WOKEN:
      actor.waits_on = 0;
      std::erase(waiters_[event.address], static_cast<std::uint8_t>(id));
      return;
    case TREADLE_EV_COND_SIGNAL:
      if (event.value == 0) return watch(actor, event, 0);
      std::erase(waiters_[event.address], static_cast<std::uint8_t>(event.value - 1));
      if (event.value - 1 < actors_.size()) actors_[event.value - 1].waits_on = 0;
      return;
    case TREADLE_EV_COND_BROADCAST:
      if (event.value == 0) return watch(actor, event, 0);
      for (const std::uint8_t who : waiters_[event.address]) actors_[who].waits_on = 0;
      waiters_[event.address].clear();
      return;

    case TREADLE_EV_FUTEX_WAIT: {
      Writer from = 0;
      memory_.read(event.address, event.size, from);
      read_from(from);
      if (event.extra != 0) return watch(actor, event, event.value);
      waits_ = true;
      actor.waits_on = event.address;
      actor.woken_by = 0;
      waiters_[event.address].push_back(static_cast<std::uint8_t>(id));
      return;
    }
    case TREADLE_EV_FUTEX_WOKEN:
      actor.waits_on = 0;
      std::erase(waiters_[event.address], static_cast<std::uint8_t>(id));
      return;
    case TREADLE_EV_FUTEX_WAKE:
      if (waiters_[event.address].empty()) return watch(actor, event, 0);
      return wake_at_futex(event, decision);

    case TREADLE_EV_SEM_INIT:
      semaphores_[event.address] = event.value;
      std::erase(destroyed_, event.address);
      return;
    case TREADLE_EV_SEM_WAIT:
    case TREADLE_EV_SEM_TRYWAIT:
    case TREADLE_EV_SEM_TIMEDWAIT:
    case TREADLE_EV_SEM_POST:
    case TREADLE_EV_SEM_GETVALUE:
      semaphores_[event.address] = event.value;
      if (event.extra != 0 || event.kind == TREADLE_EV_SEM_GETVALUE) watch(actor, event, event.value);
      return;
    case TREADLE_EV_BARRIER_INIT:
      barriers_[event.address] = {static_cast<std::uint32_t>(event.value), 0, 0};
      std::erase(destroyed_, event.address);
      return;
    case TREADLE_EV_BARRIER_ARRIVE: {
      BarrierState& barrier = barriers_[event.address];
      actor.round = barrier.round;
      if (++barrier.arrived == barrier.parties) {
        barrier.arrived = 0;
        ++barrier.round;
      }
      return;
    }
    case TREADLE_EV_EXCLUSIVE_BEGIN:
      exclusive_ = static_cast<unsigned>(event.value);
      exclusive_owner_ = id;
      return;
    case TREADLE_EV_EXCLUSIVE_END:
      exclusive_ = static_cast<unsigned>(event.value);
      return;
    default:
      return;
  }
}

}  // namespace treadle
