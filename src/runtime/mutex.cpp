// SPDX-License-Identifier: Apache-2.0
// Mutexes of all types. Locking is one visible operation that is enabled while the mutex is free (or the caller may lock it again); a
// normal mutex locked twice by one thread is recorded as a misuse and then blocks, as it does in reality: the deadlock is found for what it
// is.
#include "runtime/mutex.h"

#include <cerrno>
#include <cstring>

#include "runtime/real.h"
#include "runtime/spin.h"
#include "runtime/store_buffer.h"
#include "runtime/thread_sync.h"

namespace treadle {

namespace {

constexpr int kTypeBits = 3;
constexpr int kRobustBit = 16;  // of __kind, glibc's PTHREAD_MUTEX_ROBUST_NORMAL_NP

constexpr int kDestroyedKind = -1;

/// What the running thread sees there.
pthread_mutex_t bytes_at(const void* address) noexcept {
  pthread_mutex_t seen;
  copy_as_seen(&seen, address, sizeof seen);
  return seen;
}

int kind_in_memory(const void* address) noexcept {
  int seen;
  copy_as_seen(&seen, &static_cast<const pthread_mutex_t*>(address)->__data.__kind, sizeof seen);
  return seen;
}

/// All zero, or one of the non-portable initialisers, which differ in __kind.
bool is_statically_initialised(const void* address) noexcept {
  pthread_mutex_t pattern;
  memset(&pattern, 0, sizeof pattern);
  const pthread_mutex_t seen = bytes_at(address);
  const int kind = seen.__data.__kind;
  if (kind < 0 || kind > kTypeBits) return false;
  pattern.__data.__kind = kind;
  return memcmp(&pattern, &seen, sizeof pattern) == 0;
}

Mutex& make_mutex(const void* address, std::uint64_t pc, int kind) noexcept {
  Mutex& mutex = make<Mutex>(address, pc);
  mutex.type = kind & kTypeBits;
  mutex.robust = (kind & kRobustBit) != 0;
  return mutex;
}

bool is_normal(const Mutex& mutex) noexcept { return mutex.type == PTHREAD_MUTEX_NORMAL || mutex.type == PTHREAD_MUTEX_ADAPTIVE_NP; }

bool can_lock(const Thread& thread) noexcept {
  const Mutex& mutex = *static_cast<Mutex*>(thread.pending.object);
  world().threads[thread.id].pending.extra = mutex.owner;  // the owner of the moment, for a deadlock's report
  return mutex.owner == 0 || (holds(mutex, thread) && !is_normal(mutex));
}

bool can_try(const Mutex& mutex, const Thread& thread) noexcept {
  return mutex.owner == 0 || (holds(mutex, thread) && mutex.type == PTHREAD_MUTEX_RECURSIVE);
}

bool can_always_go_on(const Thread&) noexcept { return true; }

/// The mutex is free, or held by the caller who may lock it again.
int take(Mutex& mutex, const Thread& me) noexcept {
  if (mutex.owner != 0) {
    if (mutex.type != PTHREAD_MUTEX_RECURSIVE) return EDEADLK;
    if (mutex.depth == UINT32_MAX) return EAGAIN;
    ++mutex.depth;
    return 0;
  }
  if (mutex.robust_state == RobustState::NotRecoverable) return ENOTRECOVERABLE;
  mutex.owner = me.id + 1u;
  mutex.depth = 1;
  ++self().locks_held;
  hb_acquire(mutex.clock);
  spin_wrote();
  if (mutex.robust_state != RobustState::OwnerDied) return 0;
  mutex.robust_state = RobustState::TakenOver;
  return EOWNERDEAD;
}

/// Null: none. By address: the order in which objects became known is not the same in every schedule.
Mutex* lowest_robust_mutex_of(const Thread& thread) noexcept {
  Mutex* lowest = nullptr;
  for (Object* object = world().sync->first; object != nullptr; object = object->next) {
    if (object->kind != ObjectKind::Mutex) continue;
    auto& mutex = static_cast<Mutex&>(*object);
    if (mutex.robust && holds(mutex, thread) && (lowest == nullptr || mutex.address < lowest->address)) lowest = &mutex;
  }
  return lowest;
}

}  // namespace

Mutex& mutex_at(const void* address, std::uint64_t pc, bool needs_init) noexcept {
  Mutex* known = find<Mutex>(address);
  if (known != nullptr && !known->destroyed) {
    const int kind = kind_in_memory(address);
    // The memory was given a static initialiser since (a local of an earlier call stood here): it is another mutex.
    if (known->type == (kind & kTypeBits) || known->owner != 0 || !is_statically_initialised(address)) return *known;
    return make_mutex(address, pc, kind);
  }
  const bool valid = is_statically_initialised(address);
  if (known != nullptr && !valid) return *known;  // reported when the operation takes place
  Mutex& mutex = make_mutex(address, pc, valid ? kind_in_memory(address) : PTHREAD_MUTEX_NORMAL);
  if (!valid || needs_init) report_uninitialised(mutex, TREADLE_MISUSE_UNINITIALISED_MUTEX, pc);
  return mutex;
}

int lock_mutex(Mutex& mutex, TreadleEventKind kind, const Deadline& deadline, std::uint64_t pc) noexcept {
  Thread& me = self();
  if (deadline.at == nullptr && holds(mutex, me) && is_normal(mutex)) misuse(TREADLE_MISUSE_RELOCK, mutex.address, 0, pc);
  Pending what;
  what.kind = kind;
  what.pc = pc;
  what.address = mutex.address;
  what.object = &mutex;
  what.enabled = deadline.valid() ? can_lock : can_always_go_on;
  deadline.put_into(what);
  const Grant grant = await(what);
  expect_alive(mutex, pc);
  int result;
  if (grant.kind == TREADLE_TIMEOUT) {
    let_time_pass(what);
    spin_read(&mutex.owner, sizeof mutex.owner);
    result = ETIMEDOUT;
  } else if (mutex.owner != 0 && !deadline.valid() && !(holds(mutex, me) && !is_normal(mutex))) {
    result = EINVAL;  // POSIX looks at the time only when it has to wait
  } else {
    result = take(mutex, me);
  }
  record(kind, mutex.address, mutex.depth, static_cast<std::uint64_t>(result), pc);
  return result;
}

int try_lock_mutex(Mutex& mutex, std::uint64_t pc) noexcept {
  await(TREADLE_EV_TRYLOCK, mutex, pc, [](const Thread& t) { return !can_try(*static_cast<Mutex*>(t.pending.object), t); });
  Thread& me = self();
  const bool possible = can_try(mutex, me);
  const int result = possible ? take(mutex, me) : EBUSY;
  if (!possible) spin_read(&mutex.owner, sizeof mutex.owner);
  record(TREADLE_EV_TRYLOCK, mutex.address, mutex.depth, static_cast<std::uint64_t>(result), pc);
  return result;
}

void release_mutex(Mutex& mutex) noexcept {
  if (--mutex.depth > 0) return;
  Thread& holder = world().threads[mutex.owner - 1];
  if (holder.locks_held > 0) --holder.locks_held;
  mutex.owner = 0;
  if (mutex.robust_state == RobustState::TakenOver) mutex.robust_state = RobustState::NotRecoverable;
  hb_release(mutex.clock);
  spin_wrote();
}

int unlock_mutex(Mutex& mutex, std::uint64_t pc) noexcept {
  await(TREADLE_EV_UNLOCK, mutex, pc);
  Thread& me = self();
  int result = 0;
  if (!holds(mutex, me)) {
    const bool told = mutex.type == PTHREAD_MUTEX_ERRORCHECK;  // the program asked to be told by the result, and is
    if (!told && mutex.owner == 0) misuse(TREADLE_MISUSE_UNLOCK_NOT_LOCKED, mutex.address, 0, pc);
    if (!told && mutex.owner != 0) misuse(TREADLE_MISUSE_UNLOCK_NOT_OWNER, mutex.address, mutex.owner, pc);
    if (!is_normal(mutex) || mutex.robust) result = EPERM;
  }
  if (result == 0 && mutex.owner != 0) release_mutex(mutex);
  const bool lost = result == 0 && mutex.robust_state == RobustState::NotRecoverable;
  record(TREADLE_EV_UNLOCK, mutex.address, mutex.depth, static_cast<std::uint64_t>(result), pc, lost ? 1 : 0);
  return result;
}

void init_mutex(pthread_mutex_t* at, int kind, std::uint64_t pc) noexcept {
  const Mutex* old = find<Mutex>(at);
  if (old != nullptr && old->owner != 0) misuse(TREADLE_MISUSE_REINITIALISED, old->address, old->owner, pc);
  forget_own_stores(address_of(at), sizeof *at);
  memset(at, 0, sizeof *at);
  at->__data.__kind = kind;
  make_mutex(at, pc, kind).by_init = true;
  record(TREADLE_EV_MUTEX_INIT, address_of(at), 0, 0, pc);
}

int destroy_mutex(pthread_mutex_t* at, Mutex& mutex, std::uint64_t pc) noexcept {
  await(TREADLE_EV_MUTEX_DESTROY, mutex, pc);
  const int result = mutex.owner == 0 ? 0 : EBUSY;
  if (result == 0) {
    mutex.destroyed = true;
    at->__data.__kind = kDestroyedKind;
  } else {
    misuse(TREADLE_MISUSE_DESTROY_IN_USE, mutex.address, mutex.owner, pc);
  }
  record(TREADLE_EV_MUTEX_DESTROY, mutex.address, 0, static_cast<std::uint64_t>(result), pc);
  return result;
}

void leave_robust_mutexes(std::uint64_t pc) noexcept {
  Thread& me = self();
  while (Mutex* const mutex = lowest_robust_mutex_of(me)) {
    await(TREADLE_EV_UNLOCK, *mutex, pc);
    mutex->owner = 0;
    mutex->depth = 0;
    mutex->robust_state = RobustState::OwnerDied;
    if (me.locks_held > 0) --me.locks_held;
    hb_release(mutex->clock);
    spin_wrote();
    record(TREADLE_EV_UNLOCK, mutex->address, 0, EOWNERDEAD, pc);
  }
}

}  // namespace treadle

using namespace treadle;

extern "C" {

int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) noexcept {
  if (native()) return TREADLE_REAL(pthread_mutex_init)(mutex, attributes);
  pthread_mutex_t checked;  // glibc knows which attributes go together
  if (const int wrong = TREADLE_REAL(pthread_mutex_init)(&checked, attributes)) return wrong;
  init_mutex(mutex, checked.__data.__kind, TREADLE_PC());
  return 0;
}

int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
  if (native()) return TREADLE_REAL(pthread_mutex_destroy)(mutex);
  return destroy_mutex(mutex, mutex_at(mutex, TREADLE_PC()), TREADLE_PC());
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  if (native()) return TREADLE_REAL(pthread_mutex_lock)(mutex);
  return lock_mutex(mutex_at(mutex, TREADLE_PC()), TREADLE_EV_LOCK, {}, TREADLE_PC());
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  if (native()) return TREADLE_REAL(pthread_mutex_trylock)(mutex);
  return try_lock_mutex(mutex_at(mutex, TREADLE_PC()), TREADLE_PC());
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* limit) noexcept {
  if (native()) return TREADLE_REAL(pthread_mutex_timedlock)(mutex, limit);
  return lock_mutex(mutex_at(mutex, TREADLE_PC()), TREADLE_EV_TIMEDLOCK, {CLOCK_REALTIME, limit}, TREADLE_PC());
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* limit) noexcept {
  if (native()) return TREADLE_REAL(pthread_mutex_clocklock)(mutex, clock, limit);
  return lock_mutex(mutex_at(mutex, TREADLE_PC()), TREADLE_EV_TIMEDLOCK, {clock, limit}, TREADLE_PC());
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  if (native()) return TREADLE_REAL(pthread_mutex_unlock)(mutex);
  return unlock_mutex(mutex_at(mutex, TREADLE_PC()), TREADLE_PC());
}

int pthread_mutex_consistent(pthread_mutex_t* mutex) noexcept {
  if (native()) return TREADLE_REAL(pthread_mutex_consistent)(mutex);
  Mutex& known = mutex_at(mutex, TREADLE_PC());
  if (known.robust_state != RobustState::TakenOver) return EINVAL;
  known.robust_state = RobustState::Consistent;
  return 0;
}

}  // extern "C"
