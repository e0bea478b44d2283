// SPDX-License-Identifier: Apache-2.0
#include "explore/learned_program.h"

#include <cerrno>
#include <ctime>

#include "abi/futex.h"
#include "base/hash.h"
#include "trace/store_buffers.h"

namespace treadle {

Place& LearnedProgram::new_place(std::uint64_t key) {
  Place& place = places_.emplace_back();
  place.key = key;
  place.number = static_cast<std::uint32_t>(places_.size() - 1);
  return place;
}

std::uint64_t key_behind(std::uint64_t before, std::uint64_t outcome) { return Hash{}.add(before).add(outcome).value(); }
std::uint64_t key_of_child(std::uint64_t parent) { return Hash{}.add("child").add(parent).value(); }
std::uint64_t key_of_disturbed(std::uint64_t before, std::uint64_t by) { return Hash{}.add("disturbed").add(before).add(by).value(); }

std::uint64_t outcome_with(std::uint64_t outcome, std::uint64_t misuse) { return Hash{}.add("misuse").add(outcome).add(misuse).value(); }

std::uint64_t outcome_of(const Event& event) {
  if (has_lock_result(static_cast<EventKind>(event.kind))) return event.extra;
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_READ:
    case TREADLE_EV_ATOMIC_READ:
    case TREADLE_EV_RMW:
    case TREADLE_EV_SEM_GETVALUE:
    case TREADLE_EV_ONCE_BEGIN:
    case TREADLE_EV_TEST_CANCEL:
    case TREADLE_EV_FUTEX_WAIT:
    case TREADLE_EV_RANGE_READ:  // value: hash of what was there, put in by the rehearsal
      return event.value;
    case TREADLE_EV_CAS_OK:
      return event.value;
    case TREADLE_EV_CAS_FAIL:
      return event.value ^ 0x9e3779b97f4a7c15ull;
    case TREADLE_EV_SEM_WAIT:
    case TREADLE_EV_SEM_TRYWAIT:
    case TREADLE_EV_SEM_TIMEDWAIT:
    case TREADLE_EV_SEM_POST:
    case TREADLE_EV_COND_WOKEN:
    case TREADLE_EV_FUTEX_WOKEN:
    case TREADLE_EV_THREAD_JOIN:
      return event.extra;
    case TREADLE_EV_FUTEX_WAKE:
      return event.size == 1 ? 0 : event.value;
    default:
      return 0;
  }
}

bool never_waits(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_READ:
    case TREADLE_EV_WRITE:
    case TREADLE_EV_ATOMIC_READ:
    case TREADLE_EV_ATOMIC_WRITE:
    case TREADLE_EV_RMW:
    case TREADLE_EV_CAS_OK:
    case TREADLE_EV_CAS_FAIL:
    case TREADLE_EV_FENCE:
    case TREADLE_EV_THREAD_CREATE:
    case TREADLE_EV_THREAD_START:
    case TREADLE_EV_THREAD_EXIT:
    case TREADLE_EV_THREAD_DETACH:
    case TREADLE_EV_THREAD_CANCEL:
    case TREADLE_EV_UNLOCK:
    case TREADLE_EV_EXIT:
      return true;
    default:
      return false;
  }
}

bool is_woken(unsigned kind) { return kind == TREADLE_EV_COND_WOKEN || kind == TREADLE_EV_FUTEX_WOKEN; }

bool is_at_futex(unsigned kind) { return kind == TREADLE_EV_FUTEX_WAIT || kind == TREADLE_EV_FUTEX_WOKEN || kind == TREADLE_EV_FUTEX_WAKE; }

bool disturbs(const Event& event) { return event.kind == TREADLE_EV_THREAD_CANCEL || event.kind == TREADLE_EV_SIGNAL_THREAD; }

bool is_modelled(const Event& event) {
  if (has_lock_result(static_cast<EventKind>(event.kind)))
    return event.extra == 0 || event.extra == EBUSY || event.extra == ETIMEDOUT || event.extra == EOWNERDEAD ||
           event.extra == ENOTRECOVERABLE;
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_READ:
    case TREADLE_EV_WRITE:
    case TREADLE_EV_ATOMIC_READ:
    case TREADLE_EV_ATOMIC_WRITE:
    case TREADLE_EV_RMW:
    case TREADLE_EV_CAS_OK:
    case TREADLE_EV_CAS_FAIL:
      return event.size <= 8;
    case TREADLE_EV_COND_WOKEN:
      return event.extra != 3;
    case TREADLE_EV_FUTEX_WAIT:
      return event.extra == 0 || event.extra == EAGAIN;
    case TREADLE_EV_FUTEX_WAKE:
      return (event.extra & (TREADLE_FUTEX_SOME_BITS | TREADLE_FUTEX_REQUEUES)) == 0;
    case TREADLE_EV_SEM_WAIT:
    case TREADLE_EV_SEM_TRYWAIT:
    case TREADLE_EV_SEM_TIMEDWAIT:
    case TREADLE_EV_SEM_POST:
      return event.extra == 0 || event.extra == EAGAIN || event.extra == ETIMEDOUT;
    case TREADLE_EV_THREAD_JOIN:
      return event.extra == 0 && event.size == 0 && event.value != event.thread;
    case TREADLE_EV_NONE:
    case TREADLE_EV_RANGE_READ:
    case TREADLE_EV_RANGE_WRITE:
    case TREADLE_EV_FENCE:
    case TREADLE_EV_FLUSH:
    case TREADLE_EV_SPIN:
    case TREADLE_EV_THREAD_CREATE:
    case TREADLE_EV_THREAD_START:
    case TREADLE_EV_THREAD_EXIT:
    case TREADLE_EV_YIELD:
    case TREADLE_EV_SLEEP:
    case TREADLE_EV_MUTEX_INIT:
    case TREADLE_EV_RWLOCK_INIT:
    case TREADLE_EV_RWUNLOCK:
    case TREADLE_EV_COND_INIT:
    case TREADLE_EV_COND_WAIT:
    case TREADLE_EV_COND_SIGNAL:
    case TREADLE_EV_COND_BROADCAST:
    case TREADLE_EV_BARRIER_INIT:
    case TREADLE_EV_BARRIER_ARRIVE:
    case TREADLE_EV_BARRIER_LEAVE:
    case TREADLE_EV_SEM_INIT:
    case TREADLE_EV_SEM_GETVALUE:
    case TREADLE_EV_SPIN_INIT:
    case TREADLE_EV_SPIN_LOCK:
    case TREADLE_EV_SPIN_UNLOCK:
    case TREADLE_EV_ONCE_BEGIN:
    case TREADLE_EV_ONCE_END:
    case TREADLE_EV_MUTEX_DESTROY:
    case TREADLE_EV_RWLOCK_DESTROY:
    case TREADLE_EV_COND_DESTROY:
    case TREADLE_EV_BARRIER_DESTROY:
    case TREADLE_EV_SEM_DESTROY:
    case TREADLE_EV_SPIN_DESTROY:
    case TREADLE_EV_ALLOC:
    case TREADLE_EV_FREE:
    case TREADLE_EV_OBSERVE:
    case TREADLE_EV_ITERATION:
    case TREADLE_EV_EXCLUSIVE_BEGIN:
    case TREADLE_EV_EXCLUSIVE_END:
    case TREADLE_EV_EXIT:
    case TREADLE_EV_FUTEX_WOKEN:
    case TREADLE_EV_REGION_BEGIN:
    case TREADLE_EV_REGION_END:
      return true;
    default:
      return false;
  }
}

bool depends_on_circumstances(const Event& event) {
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_READ:
    case TREADLE_EV_WRITE:
    case TREADLE_EV_ATOMIC_READ:
    case TREADLE_EV_ATOMIC_WRITE:
      return !is_buffered(event);
    case TREADLE_EV_CLOCK:
      return event.address != CLOCK_THREAD_CPUTIME_ID;  // goes on in fruitless iterations
    case TREADLE_EV_FD_READ:                            // no event tells of flags, options and numbers, which are the kernel's
    case TREADLE_EV_FD_WRITE:
    case TREADLE_EV_FD_POLL:
    case TREADLE_EV_FD_CLOSE:
    case TREADLE_EV_FUTEX_WAKE:
    case TREADLE_EV_OPAQUE_ASM:
    case TREADLE_EV_PATH:
      return false;
    default:
      return !has_lock_result(static_cast<EventKind>(event.kind)) || event.extra == EDEADLK || event.extra == EPERM ||
             event.extra == EINVAL;
  }
}

}  // namespace treadle
