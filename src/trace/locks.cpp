// SPDX-License-Identifier: Apache-2.0
#include "trace/locks.h"

#include <algorithm>
#include <cerrno>

namespace treadle {
namespace {

enum class Change { None, Take, TakeShared, GiveBack, GiveBackAll, Forget };

/// What an event does to the lock at its address. A robust mutex is taken although its owner died.
Change change_by(const Event& event) {
  const bool succeeded = event.extra == 0 || event.extra == EOWNERDEAD;
  switch (event.kind) {
    case TREADLE_EV_LOCK:
    case TREADLE_EV_TRYLOCK:
    case TREADLE_EV_TIMEDLOCK:
    case TREADLE_EV_WRLOCK:
    case TREADLE_EV_TRYWRLOCK:
    case TREADLE_EV_TIMEDWRLOCK:
    case TREADLE_EV_SPIN_LOCK:
    case TREADLE_EV_SPIN_TRYLOCK:
      return succeeded ? Change::Take : Change::None;
    case TREADLE_EV_RDLOCK:
    case TREADLE_EV_TRYRDLOCK:
    case TREADLE_EV_TIMEDRDLOCK:
      return succeeded ? Change::TakeShared : Change::None;
    case TREADLE_EV_ONCE_BEGIN:
      return event.value == 1 ? Change::Take : Change::None;
    case TREADLE_EV_UNLOCK:  // a recursive mutex is free when its depth is back to zero
      return succeeded && event.value == 0 ? Change::GiveBackAll : Change::None;
    case TREADLE_EV_RWUNLOCK:
    case TREADLE_EV_SPIN_UNLOCK:
    case TREADLE_EV_ONCE_END:
      return Change::GiveBack;
    case TREADLE_EV_MUTEX_INIT:
    case TREADLE_EV_MUTEX_DESTROY:
    case TREADLE_EV_RWLOCK_INIT:
    case TREADLE_EV_RWLOCK_DESTROY:
    case TREADLE_EV_SPIN_INIT:
      return succeeded ? Change::Forget : Change::None;
    default:
      return Change::None;
  }
}

}  // namespace

void LockWatch::take_in(const Event& event, std::uint64_t number) {
  const ThreadId thread{event.thread};
  const auto is_it = [&](const Held& h) { return h.thread == thread && h.object == event.address; };
  const auto give_back_all = [&](std::uint64_t object) {
    std::erase_if(held_, [&](const Held& h) { return h.thread == thread && h.object == object; });
  };
  switch (change_by(event)) {
    case Change::Take:  // again by the same thread: it goes on holding what it took first
      if (std::none_of(held_.begin(), held_.end(), is_it)) held_.push_back({thread, event.address, number, false});
      break;
    case Change::TakeShared:
      held_.push_back({thread, event.address, number, true});
      break;
    case Change::GiveBack:
      if (const auto last = std::find_if(held_.rbegin(), held_.rend(), is_it); last != held_.rend()) held_.erase(std::next(last).base());
      break;
    case Change::GiveBackAll:
      give_back_all(event.address);
      break;
    case Change::Forget:
      std::erase_if(held_, [&](const Held& h) { return h.object == event.address; });
      break;
    case Change::None:
      if (event.kind == TREADLE_EV_COND_WAIT) give_back_all(event.value);
      break;
  }
}

std::vector<Held> locks_held(const Trace& trace, std::uint64_t events) {
  LockWatch watch;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(events, trace.events.size()); ++i) watch.take_in(trace.events[i], i);
  return watch.held();
}

bool has_lock_result(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_LOCK:
    case TREADLE_EV_TRYLOCK:
    case TREADLE_EV_TIMEDLOCK:
    case TREADLE_EV_UNLOCK:
    case TREADLE_EV_RDLOCK:
    case TREADLE_EV_WRLOCK:
    case TREADLE_EV_TRYRDLOCK:
    case TREADLE_EV_TRYWRLOCK:
    case TREADLE_EV_TIMEDRDLOCK:
    case TREADLE_EV_TIMEDWRLOCK:
    case TREADLE_EV_SPIN_TRYLOCK:
      return true;
    default:
      return false;
  }
}

bool has_time_limit(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_TIMEDLOCK:
    case TREADLE_EV_TIMEDRDLOCK:
    case TREADLE_EV_TIMEDWRLOCK:
    case TREADLE_EV_SEM_TIMEDWAIT:
      return true;
    default:
      return false;
  }
}

bool waits_for_holder(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_LOCK:
    case TREADLE_EV_TIMEDLOCK:
    case TREADLE_EV_RDLOCK:
    case TREADLE_EV_WRLOCK:
    case TREADLE_EV_TIMEDRDLOCK:
    case TREADLE_EV_TIMEDWRLOCK:
    case TREADLE_EV_SPIN_LOCK:
    case TREADLE_EV_ONCE_BEGIN:
      return true;
    default:
      return false;
  }
}

}  // namespace treadle
