// SPDX-License-Identifier: Apache-2.0
// pthread_spinlock_t: a lock that blocks instead of spinning, which is the same to everybody who watches. Spinlocks are plain integers and
// glibc's initialised value is one that memory often holds by chance, so an uninitialised one is not reported.
#include <pthread.h>

#include <cerrno>

#include "runtime/objects.h"
#include "runtime/real.h"
#include "runtime/spin.h"

using namespace treadle;

namespace {

Spinlock& spinlock_at(const volatile void* at, std::uint64_t pc) noexcept {
  Spinlock* known = find<Spinlock>(at);
  return known != nullptr ? *known : make<Spinlock>(at, pc);
}

bool is_free(const Thread& thread) noexcept {
  const Spinlock& lock = *static_cast<Spinlock*>(thread.pending.object);
  world().threads[thread.id].pending.extra = lock.owner;
  return lock.owner == 0;
}

void take(Spinlock& lock) noexcept {
  Thread& me = self();
  lock.owner = me.id + 1u;
  ++me.locks_held;
  hb_acquire(lock.clock);
  spin_wrote();
}

void release(Spinlock& lock) noexcept {
  Thread& holder = world().threads[lock.owner - 1];
  if (holder.locks_held > 0) --holder.locks_held;
  lock.owner = 0;
  hb_release(lock.clock);
  spin_wrote();
}

}  // namespace

extern "C" {

int pthread_spin_init(pthread_spinlock_t* at, int shared) noexcept {
  if (native()) return TREADLE_REAL(pthread_spin_init)(at, shared);
  const std::uint64_t pc = TREADLE_PC();
  const Spinlock* old = find<Spinlock>(at);
  if (old != nullptr && old->owner != 0) misuse(TREADLE_MISUSE_REINITIALISED, old->address, old->owner, pc);
  make<Spinlock>(at, pc).by_init = true;
  record(TREADLE_EV_SPIN_INIT, address_of(at), 0, 0, pc);
  return 0;
}

int pthread_spin_destroy(pthread_spinlock_t* at) noexcept {
  if (native()) return TREADLE_REAL(pthread_spin_destroy)(at);
  const std::uint64_t pc = TREADLE_PC();
  Spinlock& lock = spinlock_at(at, pc);
  await(TREADLE_EV_SPIN_DESTROY, lock, pc);
  if (lock.owner != 0) misuse(TREADLE_MISUSE_DESTROY_IN_USE, lock.address, lock.owner, pc);
  lock.destroyed = true;
  record(TREADLE_EV_SPIN_DESTROY, lock.address, 0, 0, pc);
  return 0;
}

int pthread_spin_lock(pthread_spinlock_t* at) noexcept {
  if (native()) return TREADLE_REAL(pthread_spin_lock)(at);
  const std::uint64_t pc = TREADLE_PC();
  Spinlock& lock = spinlock_at(at, pc);
  if (lock.owner == self().id + 1u) misuse(TREADLE_MISUSE_RELOCK, lock.address, 0, pc);
  Pending what;
  what.kind = TREADLE_EV_SPIN_LOCK;
  what.pc = pc;
  what.address = lock.address;
  what.object = &lock;
  what.enabled = is_free;
  await(what);
  expect_alive(lock, pc);
  take(lock);
  record(TREADLE_EV_SPIN_LOCK, lock.address, 1, 0, pc);
  return 0;
}

int pthread_spin_trylock(pthread_spinlock_t* at) noexcept {
  if (native()) return TREADLE_REAL(pthread_spin_trylock)(at);
  const std::uint64_t pc = TREADLE_PC();
  Spinlock& lock = spinlock_at(at, pc);
  await(TREADLE_EV_SPIN_TRYLOCK, lock, pc, [](const Thread& t) { return !is_free(t); });
  const int result = lock.owner == 0 ? 0 : EBUSY;
  if (result == 0)
    take(lock);
  else
    spin_read(&lock.owner, sizeof lock.owner);
  record(TREADLE_EV_SPIN_TRYLOCK, lock.address, result == 0, static_cast<std::uint64_t>(result), pc);
  return result;
}

int pthread_spin_unlock(pthread_spinlock_t* at) noexcept {
  if (native()) return TREADLE_REAL(pthread_spin_unlock)(at);
  const std::uint64_t pc = TREADLE_PC();
  Spinlock& lock = spinlock_at(at, pc);
  await(TREADLE_EV_SPIN_UNLOCK, lock, pc);
  if (lock.owner == 0)
    misuse(TREADLE_MISUSE_UNLOCK_NOT_LOCKED, lock.address, 0, pc);
  else if (lock.owner != self().id + 1u)
    misuse(TREADLE_MISUSE_UNLOCK_NOT_OWNER, lock.address, lock.owner, pc);
  if (lock.owner != 0) release(lock);
  record(TREADLE_EV_SPIN_UNLOCK, lock.address, 0, 0, pc);
  return 0;
}

}  // extern "C"
