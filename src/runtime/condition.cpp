// SPDX-License-Identifier: Apache-2.0
// Condition variables. A wait is three visible operations, so that a wake-up can be lost between any two of them as in reality: WAIT
// releases the mutex and starts waiting; WOKEN leaves the condition variable once a signal chose this thread (or it times out, wakes
// spuriously, or is cancelled); LOCK takes the mutex back. Which waiter a signal wakes is a decision of the Schedule.
#include "runtime/condition.h"

#include <cerrno>
#include <cstring>

#include "runtime/real.h"
#include "runtime/spin.h"
#include "runtime/store_buffer.h"
#include "runtime/thread_sync.h"

namespace treadle {

namespace {

// Bits of glibc's __wrefs. Its own pthread_cond_destroy would wait for ever on garbage, so we set the second one ourselves.
constexpr unsigned kMonotonicBit = 2;  // by pthread_cond_init, from the attributes
constexpr unsigned kDestroyedBit = 4;

enum HowItWoke : std::uint64_t { kSignalled, kTimedOut, kSpuriously, kCancelled };

bool is_statically_initialised(const void* address) noexcept {
  pthread_cond_t zero, seen;
  memset(&zero, 0, sizeof zero);
  copy_as_seen(&seen, address, sizeof seen);
  return memcmp(&zero, &seen, sizeof zero) == 0;
}

bool was_woken(const Thread& thread) noexcept { return !sync_of(thread).waiter.queued || cancel_due(thread); }

unsigned who_may_be_woken(const Thread& thread, std::uint16_t* out, unsigned capacity) noexcept {
  unsigned count = 0;
  const Condition& condition = *static_cast<Condition*>(thread.pending.object);
  for (const Waiter* waiter = condition.waiters.first; waiter != nullptr && count < capacity; waiter = waiter->next)
    out[count++] = waiter->thread;
  return count;
}

bool nobody_waits(const Thread& thread) noexcept { return static_cast<Condition*>(thread.pending.object)->waiters.first == nullptr; }

int start_waiting(Condition& condition, Mutex& mutex, std::uint64_t pc) noexcept {
  await(TREADLE_EV_COND_WAIT, condition, pc);
  Thread& me = self();
  if (!holds(mutex, me)) {
    misuse(TREADLE_MISUSE_COND_WAIT_UNLOCKED, condition.address, mutex.address, pc);
    if (mutex.type == PTHREAD_MUTEX_ERRORCHECK || mutex.type == PTHREAD_MUTEX_RECURSIVE) return EPERM;
  }
  if (condition.waiters.first != nullptr && condition.mutex != mutex.address)
    misuse(TREADLE_MISUSE_COND_TWO_MUTEXES, condition.address, mutex.address, pc);
  condition.mutex = mutex.address;
  Waiter& waiter = my_sync().waiter;
  waiter.thread = me.id;
  condition.waiters.push(waiter);
  if (mutex.owner != 0) release_mutex(mutex);
  record(TREADLE_EV_COND_WAIT, condition.address, mutex.address, 0, pc);
  return 0;
}

HowItWoke stay_until_woken(Condition& condition, const Mutex& mutex, const Deadline& deadline, std::uint64_t pc) noexcept {
  Pending what;
  what.kind = TREADLE_EV_COND_WOKEN;
  what.pc = pc;
  what.address = condition.address;
  what.object = &condition;
  what.enabled = was_woken;
  what.may_wake_spuriously = true;
  deadline.put_into(what);
  const Grant grant = await(what);
  Waiter& waiter = my_sync().waiter;
  HowItWoke how = kSignalled;
  if (grant.kind == TREADLE_TIMEOUT) {
    let_time_pass(what);
    how = kTimedOut;
  } else if (grant.kind == TREADLE_SPURIOUS) {
    how = kSpuriously;
  } else if (waiter.queued) {
    how = kCancelled;
  }
  condition.waiters.remove(waiter);
  record(TREADLE_EV_COND_WOKEN, condition.address, mutex.address, how, pc);
  return how;
}

}  // namespace

Condition& condition_at(const void* address, std::uint64_t pc, bool needs_init) noexcept {
  Condition* known = find<Condition>(address);
  if (known != nullptr && !known->destroyed) return *known;
  const bool valid = is_statically_initialised(address);
  if (known != nullptr && !valid) return *known;  // reported when the operation takes place
  Condition& made = make<Condition>(address, pc);
  if (!valid || needs_init) report_uninitialised(made, TREADLE_MISUSE_UNINITIALISED_COND, pc);
  return made;
}

int wait_for_condition(Condition& condition, Mutex& mutex, const Deadline& deadline, std::uint64_t pc) {
  if (!deadline.valid()) return EINVAL;
  if (const int wrong = start_waiting(condition, mutex, pc)) return wrong;
  const HowItWoke how = stay_until_woken(condition, mutex, deadline, pc);
  const int locked = lock_mutex(mutex, TREADLE_EV_LOCK, {}, pc);
  if (how == kCancelled) act_on_cancel();
  if (locked != 0) return locked;
  return how == kTimedOut ? ETIMEDOUT : 0;
}

void signal_condition(Condition& condition, std::uint64_t pc) noexcept {
  Pending what;
  what.kind = TREADLE_EV_COND_SIGNAL;
  what.pc = pc;
  what.address = condition.address;
  what.object = &condition;
  what.wakes = who_may_be_woken;
  what.would_fail = nobody_waits;
  const Grant grant = await(what);
  expect_alive(condition, pc);
  std::uint64_t woken = 0;
  if (grant.kind == TREADLE_WAKE) {
    condition.waiters.remove(sync_of(world().threads[grant.argument]).waiter);
    woken = grant.argument + 1u;
  }
  woken > 0 ? spin_wrote() : spin_read(&condition.waiters.first, sizeof condition.waiters.first);
  record(TREADLE_EV_COND_SIGNAL, condition.address, woken, 0, pc);
}

void broadcast_condition(Condition& condition, std::uint64_t pc) noexcept {
  await(TREADLE_EV_COND_BROADCAST, condition, pc, nobody_waits);
  std::uint64_t woken = 0;
  while (condition.waiters.first != nullptr) {
    condition.waiters.remove(*condition.waiters.first);
    ++woken;
  }
  woken > 0 ? spin_wrote() : spin_read(&condition.waiters.first, sizeof condition.waiters.first);
  record(TREADLE_EV_COND_BROADCAST, condition.address, woken, 0, pc);
}

int init_condition(pthread_cond_t* at, const pthread_condattr_t* attributes, std::uint64_t pc) noexcept {
  const Condition* old = find<Condition>(at);
  if (old != nullptr && old->waiters.first != nullptr)
    misuse(TREADLE_MISUSE_REINITIALISED, old->address, old->waiters.first->thread + 1u, pc);
  forget_own_stores(address_of(at), sizeof *at);
  if (const int wrong = TREADLE_REAL(pthread_cond_init)(at, attributes)) return wrong;
  Condition& condition = make<Condition>(at, pc);
  condition.by_init = true;
  condition.clock_id = (at->__data.__wrefs & kMonotonicBit) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  record(TREADLE_EV_COND_INIT, condition.address, 0, 0, pc);
  return 0;
}

void destroy_condition(pthread_cond_t* at, Condition& condition, std::uint64_t pc) noexcept {
  await(TREADLE_EV_COND_DESTROY, condition, pc);
  if (condition.waiters.first != nullptr)
    misuse(TREADLE_MISUSE_DESTROY_IN_USE, condition.address, condition.waiters.first->thread + 1u, pc);
  condition.destroyed = true;
  at->__data.__wrefs |= kDestroyedBit;
  record(TREADLE_EV_COND_DESTROY, condition.address, 0, 0, pc);
}

}  // namespace treadle

using namespace treadle;

extern "C" {

int pthread_cond_init(pthread_cond_t* at, const pthread_condattr_t* attributes) noexcept {
  if (native()) return TREADLE_REAL(pthread_cond_init)(at, attributes);
  return init_condition(at, attributes, TREADLE_PC());
}

int pthread_cond_destroy(pthread_cond_t* at) noexcept {
  if (native()) return TREADLE_REAL(pthread_cond_destroy)(at);
  destroy_condition(at, condition_at(at, TREADLE_PC()), TREADLE_PC());
  return 0;
}

int pthread_cond_wait(pthread_cond_t* at, pthread_mutex_t* mutex) {
  if (native()) return TREADLE_REAL(pthread_cond_wait)(at, mutex);
  const std::uint64_t pc = TREADLE_PC();
  return wait_for_condition(condition_at(at, pc), mutex_at(mutex, pc), {}, pc);
}

int pthread_cond_timedwait(pthread_cond_t* at, pthread_mutex_t* mutex, const timespec* limit) {
  if (native()) return TREADLE_REAL(pthread_cond_timedwait)(at, mutex, limit);
  const std::uint64_t pc = TREADLE_PC();
  Condition& condition = condition_at(at, pc);
  return wait_for_condition(condition, mutex_at(mutex, pc), {condition.clock_id, limit}, pc);
}

int pthread_cond_clockwait(pthread_cond_t* at, pthread_mutex_t* mutex, clockid_t clock, const timespec* limit) {
  if (native()) return TREADLE_REAL(pthread_cond_clockwait)(at, mutex, clock, limit);
  const std::uint64_t pc = TREADLE_PC();
  return wait_for_condition(condition_at(at, pc), mutex_at(mutex, pc), {clock, limit}, pc);
}

int pthread_cond_signal(pthread_cond_t* at) noexcept {
  if (native()) return TREADLE_REAL(pthread_cond_signal)(at);
  signal_condition(condition_at(at, TREADLE_PC()), TREADLE_PC());
  return 0;
}

int pthread_cond_broadcast(pthread_cond_t* at) noexcept {
  if (native()) return TREADLE_REAL(pthread_cond_broadcast)(at);
  broadcast_condition(condition_at(at, TREADLE_PC()), TREADLE_PC());
  return 0;
}

}  // extern "C"
