// SPDX-License-Identifier: Apache-2.0
#include "explore/touches.h"

#include <algorithm>
#include <cerrno>

#include "trace/store_buffers.h"

namespace treadle {
namespace {

Access memory(const Event& event, std::uint64_t bytes, bool writes) {
  return {event.address, static_cast<std::uint32_t>(std::min<std::uint64_t>(std::max<std::uint64_t>(bytes, 1), UINT32_MAX)), Space::Memory,
          writes};
}

/// That a thread was created, and that somebody has joined or detached it, are objects besides its being alive.
constexpr std::uint64_t creation = std::uint64_t{1} << 32, spoken_for = std::uint64_t{1} << 33;

bool succeeded(const Event& event) { return event.extra == 0 || event.extra == EOWNERDEAD; }

/// A recursive mutex is taken again, or given back but not for good: nobody else can tell.
bool within_own_lock(const Event& event) { return succeeded(event) && event.value > (event.kind == TREADLE_EV_UNLOCK ? 0u : 1u); }

/// Had it given up, it would have let time pass: who reads a clock comes before or after it, in either case.
bool may_let_time_pass(const Event& event) {
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_TIMEDLOCK:
    case TREADLE_EV_TIMEDRDLOCK:
    case TREADLE_EV_TIMEDWRLOCK:
    case TREADLE_EV_SEM_TIMEDWAIT:
      return true;
    case TREADLE_EV_THREAD_JOIN:
      return event.size == 1;
    default:
      return false;
  }
}

void add(const Event& event, Action& out) {
  Accesses& accesses = out.accesses;
  const auto object = [&](Space space, bool writes) { accesses.add({event.address, 1, space, writes}); };
  const auto named = [&](Space space, std::uint64_t name, bool writes) { accesses.add({name, 1, space, writes}); };
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_READ:
    case TREADLE_EV_ATOMIC_READ:
    case TREADLE_EV_CAS_FAIL:
      if (!is_buffered(event)) return accesses.add(memory(event, event.size, false));
      return add_being_there(memory(event, event.size, false), accesses);
    case TREADLE_EV_WRITE:
    case TREADLE_EV_ATOMIC_WRITE:
      if (!is_buffered(event)) return accesses.add(memory(event, event.size, true));
      return add_being_there(memory(event, event.size, true), accesses);
    case TREADLE_EV_RMW:
    case TREADLE_EV_CAS_OK:
    case TREADLE_EV_FLUSH:
      return accesses.add(memory(event, event.size, true));
    case TREADLE_EV_RANGE_READ:
      return accesses.add(memory(event, event.extra, false));
    case TREADLE_EV_RANGE_WRITE:
      return accesses.add(memory(event, event.extra, true));
    case TREADLE_EV_FREE:
      return accesses.add(memory(event, event.value, true));

    case TREADLE_EV_THREAD_CREATE:
      named(Space::Thread, event.value, true);
      named(Space::Thread, event.value | creation, true);
      return named(Space::Signals, 0, false);
    case TREADLE_EV_THREAD_DETACH:  // whether it still runs makes no difference
      return named(Space::Thread, event.value | spoken_for, true);
    case TREADLE_EV_THREAD_JOIN:
      named(Space::Thread, event.value, event.extra == 0);
      return named(Space::Thread, event.value | spoken_for, event.extra == 0);
    case TREADLE_EV_THREAD_START:  // after its creation; who detaches it, or looks whether it has ended, does not mind
      return named(Space::Thread, event.thread | creation, false);
    case TREADLE_EV_THREAD_EXIT:
      named(Space::Thread, event.thread, true);
      return named(Space::Signals, 0, false);  // it gets none any more
    case TREADLE_EV_THREAD_CANCEL:
    case TREADLE_EV_SIGNAL_THREAD:
      if (event.value != event.thread) out.disturbs = static_cast<std::uint16_t>(event.value);
      if (event.kind == TREADLE_EV_SIGNAL_THREAD) named(Space::Signals, 0, event.size != TREADLE_SIGNAL_TO_THREAD && event.extra != 0);
      return;
    case TREADLE_EV_SLEEP:
      return named(Space::Time, 0, false);
    case TREADLE_EV_CLOCK:
      return named(Space::Time, 0, true);

    case TREADLE_EV_LOCK:
    case TREADLE_EV_TRYLOCK:
    case TREADLE_EV_TIMEDLOCK:
      if (!within_own_lock(event)) object(Space::Mutex, succeeded(event));
      return;
    case TREADLE_EV_UNLOCK:
      if (!within_own_lock(event)) object(Space::Mutex, succeeded(event));
      return;
    case TREADLE_EV_MUTEX_DESTROY:
      return object(Space::Mutex, true);
    case TREADLE_EV_SPIN_LOCK:
    case TREADLE_EV_SPIN_TRYLOCK:
      return object(Space::Spinlock, succeeded(event));
    case TREADLE_EV_SPIN_UNLOCK:
    case TREADLE_EV_SPIN_DESTROY:
      return object(Space::Spinlock, true);

    // Readers do not get in each other's way, neither coming nor going; who only looks whether he could write minds them all.
    case TREADLE_EV_RDLOCK:
    case TREADLE_EV_TRYRDLOCK:
    case TREADLE_EV_TIMEDRDLOCK:
      return object(Space::RwLock, false);
    case TREADLE_EV_WRLOCK:
    case TREADLE_EV_TRYWRLOCK:
    case TREADLE_EV_TIMEDWRLOCK:
    case TREADLE_EV_RWLOCK_DESTROY:
      return object(Space::RwLock, true);
    case TREADLE_EV_RWUNLOCK:
      return object(Space::RwLock, event.extra == 1);

    case TREADLE_EV_COND_WAIT:
      object(Space::Condition, true);
      return named(Space::Mutex, event.value, true);
    case TREADLE_EV_COND_SIGNAL:
      object(Space::Condition, event.value != 0);
      if (event.value != 0) named(Space::Waiter, event.value - 1, true);
      return;
    case TREADLE_EV_COND_BROADCAST:
      return object(Space::Condition, event.value != 0);
    case TREADLE_EV_COND_WOKEN:
      if (event.extra == 0) return named(Space::Waiter, event.thread, false);
      return object(Space::Condition, true);
    case TREADLE_EV_COND_DESTROY:
      return object(Space::Condition, true);

    case TREADLE_EV_BARRIER_ARRIVE:
    case TREADLE_EV_BARRIER_DESTROY:
      return object(Space::Barrier, true);
    case TREADLE_EV_BARRIER_LEAVE:
      return object(Space::Barrier, false);

    case TREADLE_EV_SEM_WAIT:
    case TREADLE_EV_SEM_TRYWAIT:
    case TREADLE_EV_SEM_TIMEDWAIT:
    case TREADLE_EV_SEM_POST:
      return object(Space::Semaphore, event.extra == 0);
    case TREADLE_EV_SEM_GETVALUE:
      return object(Space::Semaphore, false);
    case TREADLE_EV_SEM_DESTROY:
      return object(Space::Semaphore, true);

    case TREADLE_EV_ONCE_BEGIN:
      return object(Space::Once, event.value == 1);
    case TREADLE_EV_ONCE_END:
      return object(Space::Once, true);

    // Sections exclude each other: one happens before the other, which may order all else that their threads do.
    case TREADLE_EV_EXCLUSIVE_BEGIN:
      if (event.value <= 1) named(Space::Exclusive, 0, true);
      return;

    case TREADLE_EV_FUTEX_WAIT:
      accesses.add(memory(event, 4, false));
      if (event.extra == 0) object(Space::Futex, true);
      return;
    case TREADLE_EV_FUTEX_WOKEN:
      return object(Space::Futex, event.extra != 0);
    case TREADLE_EV_FUTEX_WAKE:
      return object(Space::Futex, event.value != 0);

    case TREADLE_EV_FD_READ:
    case TREADLE_EV_FD_WRITE:
    case TREADLE_EV_FD_POLL:
    case TREADLE_EV_FD_CLOSE:
      return named(Space::Descriptors, 0, true);
    default:
      return;
  }
}

}  // namespace

Access block_freed(const Event& event) { return being_there(memory(event, event.value, true)); }

void add_touches_of(const Event& event, bool timed_out, Action& out) {
  add(event, out);
  if (timed_out || may_let_time_pass(event)) out.accesses.add({0, 1, Space::Time, false});
}

}  // namespace treadle
