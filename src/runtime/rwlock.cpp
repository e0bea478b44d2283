// SPDX-License-Identifier: Apache-2.0
// Readers-writer locks. A waiting writer does not keep readers out: glibc prefers readers by default, and every order that writer
// preference would allow is among those explored.
#include <pthread.h>

#include <cerrno>
#include <cstring>

#include "runtime/objects.h"
#include "runtime/real.h"
#include "runtime/spin.h"
#include "runtime/store_buffer.h"

using namespace treadle;

namespace {

constexpr unsigned kDestroyedMark = 0x7ead;  // glibc's destroy leaves no trace, so we leave one in a padding word

bool is_statically_initialised(const pthread_rwlock_t* lock) noexcept {
  pthread_rwlock_t pattern, seen;
  memset(&pattern, 0, sizeof pattern);
  copy_as_seen(&seen, lock, sizeof seen);
  if (seen.__data.__flags > PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) return false;
  pattern.__data.__flags = seen.__data.__flags;
  return memcmp(&pattern, &seen, sizeof pattern) == 0;
}

RwLock& rwlock_at(const pthread_rwlock_t* lock, std::uint64_t pc) noexcept {
  RwLock* known = find<RwLock>(lock);
  if (known != nullptr && !known->destroyed) return *known;
  const bool valid = is_statically_initialised(lock);
  if (known != nullptr && !valid) return *known;  // reported when the operation takes place
  RwLock& made = make<RwLock>(lock, pc);
  if (!valid) report_uninitialised(made, TREADLE_MISUSE_UNINITIALISED_RWLOCK, pc);
  return made;
}

bool in_use(const RwLock& lock) noexcept { return lock.writer != 0 || lock.readers != 0; }
bool is_writer(const RwLock& lock, const Thread& thread) noexcept { return lock.writer == thread.id + 1u; }

/// Somebody who keeps the lock from others: thread + 1.
std::uint32_t a_holder(const RwLock& lock) noexcept {
  if (lock.writer != 0) return lock.writer;
  for (unsigned id = 0; id < TREADLE_MAX_THREADS; ++id)
    if (lock.read_by[id] != 0) return id + 1;
  return 0;
}

const RwLock& awaited(const Thread& thread) noexcept {
  const RwLock& lock = *static_cast<RwLock*>(thread.pending.object);
  world().threads[thread.id].pending.extra = a_holder(lock);
  return lock;
}

// A writer who asks again gets EDEADLK at once.
bool can_read(const Thread& thread) noexcept {
  const RwLock& lock = awaited(thread);
  return lock.writer == 0 || is_writer(lock, thread);
}
bool can_write(const Thread& thread) noexcept {
  const RwLock& lock = awaited(thread);
  return !in_use(lock) || is_writer(lock, thread);
}

int take_for_reading(RwLock& lock, Thread& me) noexcept {
  if (is_writer(lock, me)) return EDEADLK;
  if (lock.read_by[me.id] == UINT8_MAX) return EAGAIN;
  ++lock.readers;
  ++lock.read_by[me.id];
  ++me.locks_held;
  hb_acquire(lock.written);
  spin_wrote();
  return 0;
}

int take_for_writing(RwLock& lock, Thread& me) noexcept {
  if (is_writer(lock, me)) return EDEADLK;
  lock.writer = me.id + 1u;
  ++me.locks_held;
  hb_acquire(lock.written);
  hb_acquire(lock.read);
  spin_wrote();
  return 0;
}

/// A loop around a lock that was not to be had goes on when this has changed.
void watch(const RwLock& lock) noexcept { spin_read(&lock.writer, sizeof lock.writer + sizeof lock.readers); }

struct Side {
  bool (*can_take)(const Thread&);
  int (*take)(RwLock&, Thread&) noexcept;
};
constexpr Side kReading{can_read, take_for_reading};
constexpr Side kWriting{can_write, take_for_writing};

int lock(const pthread_rwlock_t* at, const Side& side, TreadleEventKind kind, const Deadline& deadline, std::uint64_t pc) noexcept {
  if (!deadline.valid()) return EINVAL;
  RwLock& lock = rwlock_at(at, pc);
  Pending what;
  what.kind = kind;
  what.pc = pc;
  what.address = lock.address;
  what.object = &lock;
  what.enabled = side.can_take;
  deadline.put_into(what);
  const Grant grant = await(what);
  expect_alive(lock, pc);
  int result;
  if (grant.kind == TREADLE_TIMEOUT) {
    let_time_pass(what);
    watch(lock);
    result = ETIMEDOUT;
  } else {
    result = side.take(lock, self());
  }
  record(kind, lock.address, lock.readers, static_cast<std::uint64_t>(result), pc);
  return result;
}

bool can_try(const RwLock& lock, TreadleEventKind kind) noexcept {
  return lock.writer == 0 && (kind == TREADLE_EV_TRYRDLOCK || lock.readers == 0);
}

int try_lock(const pthread_rwlock_t* at, const Side& side, TreadleEventKind kind, std::uint64_t pc) noexcept {
  RwLock& lock = rwlock_at(at, pc);
  await(kind, lock, pc, [](const Thread& t) { return !can_try(awaited(t), static_cast<TreadleEventKind>(t.pending.kind)); });
  const bool possible = can_try(lock, kind);
  const int result = possible ? side.take(lock, self()) : EBUSY;
  if (!possible) watch(lock);
  record(kind, lock.address, lock.readers, static_cast<std::uint64_t>(result), pc);
  return result;
}

void leave_as_writer(RwLock& lock) noexcept {
  Thread& holder = world().threads[lock.writer - 1];
  if (holder.locks_held > 0) --holder.locks_held;
  lock.writer = 0;
  hb_release(lock.written);
}

/// `reader` is the caller, or, when the program unlocks what it does not hold, somebody who does.
void leave_as_reader(RwLock& lock, Thread& reader) noexcept {
  --lock.read_by[reader.id];
  --lock.readers;
  if (reader.locks_held > 0) --reader.locks_held;
  hb_release(lock.read);
}

}  // namespace

extern "C" {

int pthread_rwlock_init(pthread_rwlock_t* at, const pthread_rwlockattr_t* attributes) noexcept {
  if (native()) return TREADLE_REAL(pthread_rwlock_init)(at, attributes);
  const std::uint64_t pc = TREADLE_PC();
  const RwLock* old = find<RwLock>(at);
  if (old != nullptr && in_use(*old)) misuse(TREADLE_MISUSE_REINITIALISED, old->address, a_holder(*old), pc);
  if (const int wrong = TREADLE_REAL(pthread_rwlock_init)(at, attributes)) return wrong;
  make<RwLock>(at, pc).by_init = true;
  record(TREADLE_EV_RWLOCK_INIT, address_of(at), 0, 0, pc);
  return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t* at) noexcept {
  if (native()) return TREADLE_REAL(pthread_rwlock_destroy)(at);
  const std::uint64_t pc = TREADLE_PC();
  RwLock& lock = rwlock_at(at, pc);
  await(TREADLE_EV_RWLOCK_DESTROY, lock, pc);
  if (in_use(lock)) misuse(TREADLE_MISUSE_DESTROY_IN_USE, lock.address, a_holder(lock), pc);
  lock.destroyed = true;
  at->__data.__pad3 = kDestroyedMark;
  record(TREADLE_EV_RWLOCK_DESTROY, lock.address, 0, 0, pc);
  return 0;
}

int pthread_rwlock_rdlock(pthread_rwlock_t* at) noexcept {
  if (native()) return TREADLE_REAL(pthread_rwlock_rdlock)(at);
  return lock(at, kReading, TREADLE_EV_RDLOCK, {}, TREADLE_PC());
}

int pthread_rwlock_wrlock(pthread_rwlock_t* at) noexcept {
  if (native()) return TREADLE_REAL(pthread_rwlock_wrlock)(at);
  return lock(at, kWriting, TREADLE_EV_WRLOCK, {}, TREADLE_PC());
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t* at) noexcept {
  if (native()) return TREADLE_REAL(pthread_rwlock_tryrdlock)(at);
  return try_lock(at, kReading, TREADLE_EV_TRYRDLOCK, TREADLE_PC());
}

int pthread_rwlock_trywrlock(pthread_rwlock_t* at) noexcept {
  if (native()) return TREADLE_REAL(pthread_rwlock_trywrlock)(at);
  return try_lock(at, kWriting, TREADLE_EV_TRYWRLOCK, TREADLE_PC());
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t* at, const timespec* limit) noexcept {
  if (native()) return TREADLE_REAL(pthread_rwlock_timedrdlock)(at, limit);
  return lock(at, kReading, TREADLE_EV_TIMEDRDLOCK, {CLOCK_REALTIME, limit}, TREADLE_PC());
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t* at, const timespec* limit) noexcept {
  if (native()) return TREADLE_REAL(pthread_rwlock_timedwrlock)(at, limit);
  return lock(at, kWriting, TREADLE_EV_TIMEDWRLOCK, {CLOCK_REALTIME, limit}, TREADLE_PC());
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t* at, clockid_t clock, const timespec* limit) noexcept {
  if (native()) return TREADLE_REAL(pthread_rwlock_clockrdlock)(at, clock, limit);
  return lock(at, kReading, TREADLE_EV_TIMEDRDLOCK, {clock, limit}, TREADLE_PC());
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t* at, clockid_t clock, const timespec* limit) noexcept {
  if (native()) return TREADLE_REAL(pthread_rwlock_clockwrlock)(at, clock, limit);
  return lock(at, kWriting, TREADLE_EV_TIMEDWRLOCK, {clock, limit}, TREADLE_PC());
}

int pthread_rwlock_unlock(pthread_rwlock_t* at) noexcept {
  if (native()) return TREADLE_REAL(pthread_rwlock_unlock)(at);
  const std::uint64_t pc = TREADLE_PC();
  RwLock& lock = rwlock_at(at, pc);
  await(TREADLE_EV_RWUNLOCK, lock, pc);
  Thread& me = self();
  const bool writing = lock.writer != 0;
  const bool mine = writing ? is_writer(lock, me) : lock.read_by[me.id] != 0;
  const std::uint32_t holder = a_holder(lock);
  if (!mine) misuse(holder == 0 ? TREADLE_MISUSE_UNLOCK_NOT_LOCKED : TREADLE_MISUSE_UNLOCK_NOT_OWNER, lock.address, holder, pc);
  if (writing)
    leave_as_writer(lock);
  else if (holder != 0)
    leave_as_reader(lock, mine ? me : world().threads[holder - 1]);
  spin_wrote();
  record(TREADLE_EV_RWUNLOCK, lock.address, lock.readers, writing, pc);
  return 0;
}

}  // extern "C"
