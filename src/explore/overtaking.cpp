// SPDX-License-Identifier: Apache-2.0
#include "explore/overtaking.h"

#include <cerrno>

namespace treadle {
namespace {

EventKind kind_of(const Event& event) { return static_cast<EventKind>(event.kind); }

bool succeeded(const Event& event) { return event.extra == 0 || event.extra == EOWNERDEAD; }

/// After it, fewer hold the lock than before.
bool releases(const Event& event) {
  switch (kind_of(event)) {
    case TREADLE_EV_UNLOCK:
      return succeeded(event);
    case TREADLE_EV_SPIN_UNLOCK:
    case TREADLE_EV_RWUNLOCK:
    case TREADLE_EV_COND_WAIT:
    case TREADLE_EV_ONCE_END:
      return true;
    default:
      return false;
  }
}

/// By who did not hold it: it does not tell whether anybody did.
bool fails_to_release(const Event& event) { return kind_of(event) == TREADLE_EV_UNLOCK && !succeeded(event); }

/// Found the lock taken: by whoever holds it then, until it is given back. One that waits fails only if its own thread does.
bool failed_to_acquire(const Event& event) {
  switch (kind_of(event)) {
    case TREADLE_EV_LOCK:
    case TREADLE_EV_RDLOCK:
    case TREADLE_EV_WRLOCK:
    case TREADLE_EV_TRYLOCK:
    case TREADLE_EV_TIMEDLOCK:
    case TREADLE_EV_SPIN_TRYLOCK:
    case TREADLE_EV_TRYRDLOCK:
    case TREADLE_EV_TRYWRLOCK:
    case TREADLE_EV_TIMEDRDLOCK:
    case TREADLE_EV_TIMEDWRLOCK:
      return !succeeded(event);
    case TREADLE_EV_ONCE_BEGIN:
      return false;
    default:
      return false;
  }
}

/// Found the lock taken by readers only, who keep no other reader out.
bool failed_because_of_readers(const Event& event) {
  switch (kind_of(event)) {
    case TREADLE_EV_TRYWRLOCK:
    case TREADLE_EV_TIMEDWRLOCK:
      return !succeeded(event) && event.value > 0;
    default:
      return false;
  }
}

std::uint64_t semaphore_before(const Event& event) {
  switch (kind_of(event)) {
    case TREADLE_EV_SEM_POST:
      return event.extra == 0 ? event.value - 1 : event.value;
    case TREADLE_EV_SEM_WAIT:
    case TREADLE_EV_SEM_TRYWAIT:
    case TREADLE_EV_SEM_TIMEDWAIT:
      return event.extra == 0 ? event.value + 1 : event.value;
    default:
      return event.value;
  }
}

}  // namespace

Overtake can_overtake(const Event& later, const Event& earlier, bool way_out) {
  switch (kind_of(later)) {
    case TREADLE_EV_LOCK:
    case TREADLE_EV_SPIN_LOCK:
    case TREADLE_EV_WRLOCK:
    case TREADLE_EV_ONCE_BEGIN:
      if (fails_to_release(earlier)) return Overtake::Maybe;
      return releases(earlier) || failed_to_acquire(earlier) ? Overtake::PassOver : Overtake::Yes;
    case TREADLE_EV_RDLOCK:
      if (failed_because_of_readers(earlier)) return Overtake::Yes;
      return releases(earlier) || failed_to_acquire(earlier) ? Overtake::PassOver : Overtake::Yes;

    case TREADLE_EV_SEM_WAIT:
      if (kind_of(earlier) == TREADLE_EV_SEM_DESTROY) return Overtake::Maybe;  // which does not tell how many there were
      return semaphore_before(earlier) > 0 ? Overtake::Yes : Overtake::PassOver;

    case TREADLE_EV_BARRIER_LEAVE:
      return kind_of(earlier) == TREADLE_EV_BARRIER_ARRIVE && earlier.extra == later.extra ? Overtake::Never : Overtake::Yes;

    case TREADLE_EV_COND_WOKEN:
      if (later.extra == 0) return way_out ? Overtake::Yes : Overtake::Never;
      return later.extra == 3 ? Overtake::Maybe : Overtake::Yes;
    case TREADLE_EV_FUTEX_WOKEN:
      if (later.extra != 0 || way_out) return Overtake::Yes;
      return Overtake::Maybe;

    case TREADLE_EV_THREAD_START:
      return Overtake::Never;
    case TREADLE_EV_THREAD_JOIN:
      if (later.size == 1) return Overtake::Yes;
      switch (kind_of(earlier)) {
        case TREADLE_EV_THREAD_EXIT:
        case TREADLE_EV_THREAD_CREATE:
          return Overtake::Never;
        default:
          return Overtake::Maybe;
      }

    case TREADLE_EV_FD_READ:
    case TREADLE_EV_FD_WRITE:
    case TREADLE_EV_FD_POLL:
    case TREADLE_EV_FD_CLOSE:
      return Overtake::Maybe;
    case TREADLE_EV_SIGNAL_THREAD:
      return later.size == TREADLE_SIGNAL_AWAITED ? Overtake::Maybe : Overtake::Yes;

    default:
      return Overtake::Yes;
  }
}

std::optional<bool> would_write(const Event& later, const Event& earlier, std::optional<std::uint64_t> value_before) {
  switch (kind_of(later)) {
    case TREADLE_EV_CAS_OK:
    case TREADLE_EV_CAS_FAIL: {
      if (!value_before) return std::nullopt;
      const std::uint64_t expected = kind_of(later) == TREADLE_EV_CAS_OK ? later.value : later.extra;
      return *value_before == expected;
    }
    // One with a time limit gives up only where it would have to wait, which is where an attempt fails.
    case TREADLE_EV_TRYLOCK:
    case TREADLE_EV_TIMEDLOCK:
    case TREADLE_EV_SPIN_TRYLOCK:
      if (fails_to_release(earlier)) return std::nullopt;
      return !releases(earlier) && !failed_to_acquire(earlier);
    case TREADLE_EV_SEM_TRYWAIT:
    case TREADLE_EV_SEM_TIMEDWAIT:
      return semaphore_before(earlier) > 0;
    case TREADLE_EV_THREAD_JOIN:
      return later.size == 1 && kind_of(earlier) == TREADLE_EV_THREAD_EXIT ? std::optional(false) : std::nullopt;
    default:
      return std::nullopt;
  }
}

bool has_several_ways(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_COND_SIGNAL:
    case TREADLE_EV_COND_WOKEN:
    case TREADLE_EV_FUTEX_WAKE:
    case TREADLE_EV_FUTEX_WOKEN:
    case TREADLE_EV_TIMEDLOCK:
    case TREADLE_EV_TIMEDRDLOCK:
    case TREADLE_EV_TIMEDWRLOCK:
    case TREADLE_EV_SEM_TIMEDWAIT:
    case TREADLE_EV_THREAD_JOIN:
    case TREADLE_EV_FD_READ:
    case TREADLE_EV_FD_WRITE:
    case TREADLE_EV_FD_POLL:
    case TREADLE_EV_FD_CLOSE:
    case TREADLE_EV_SLEEP:
    case TREADLE_EV_SIGNAL_THREAD:
    case TREADLE_EV_NONE:  // an operation that a signal handler or cancellation came before
      return true;
    default:
      return false;
  }
}

}  // namespace treadle
