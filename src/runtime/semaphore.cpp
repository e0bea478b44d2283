// SPDX-License-Identifier: Apache-2.0
#include "runtime/semaphore.h"

#include <cerrno>
#include <climits>

#include "runtime/real.h"
#include "runtime/spin.h"
#include "runtime/thread_sync.h"

using namespace treadle;

namespace {

/// POSIX knows no static initialiser. glibc takes zeroes for a semaphore of value 0, so that is how an uninitialised one goes on.
Semaphore& semaphore_at(const sem_t* at, std::uint64_t pc) noexcept {
  if (Semaphore* known = find<Semaphore>(at)) return *known;
  Semaphore& made = make<Semaphore>(at, pc);
  report_uninitialised(made, TREADLE_MISUSE_UNINITIALISED_SEM, pc);
  return made;
}

bool can_take(const Thread& thread) noexcept {
  return static_cast<Semaphore*>(thread.pending.object)->value > 0 || cancel_due(thread) || sync_of(thread).interrupted;
}

void take(Semaphore& semaphore) noexcept {
  --semaphore.value;
  hb_acquire(semaphore.clock);
  spin_wrote();
}

int fail(int error) noexcept {
  errno = error;
  return -1;
}

int wait(const sem_t* at, TreadleEventKind kind, const Deadline& deadline, std::uint64_t pc) noexcept {
  if (!deadline.valid()) return fail(EINVAL);
  Semaphore& semaphore = semaphore_at(at, pc);
  Pending what;
  what.kind = kind;
  what.pc = pc;
  what.address = semaphore.address;
  what.object = &semaphore;
  what.enabled = can_take;
  deadline.put_into(what);
  begin_interruptible_wait(pc);
  ++semaphore.waiting;
  const Grant grant = await(what);
  --semaphore.waiting;
  expect_alive(semaphore, pc);
  act_on_cancel();
  int error = 0;
  if (grant.kind == TREADLE_TIMEOUT) {
    let_time_pass(what);
    spin_read(&semaphore.value, sizeof semaphore.value);
    error = ETIMEDOUT;
  } else if (semaphore.value == 0) {
    error = EINTR;
  } else {
    take(semaphore);
  }
  record(kind, semaphore.address, semaphore.value, static_cast<std::uint64_t>(error), pc);
  return error == 0 ? 0 : fail(error);
}

}  // namespace

Semaphore& treadle::start_semaphore(sem_t* at, unsigned value, std::uint64_t pc) noexcept {
  Semaphore& semaphore = make<Semaphore>(at, pc);
  semaphore.value = value;
  return semaphore;
}

extern "C" {

int sem_init(sem_t* at, int shared, unsigned value) noexcept {
  if (native()) return TREADLE_REAL(sem_init)(at, shared, value);
  const std::uint64_t pc = TREADLE_PC();
  if (value > SEM_VALUE_MAX) return fail(EINVAL);
  const Semaphore* old = find<Semaphore>(at);
  if (old != nullptr && old->waiting > 0) misuse(TREADLE_MISUSE_REINITIALISED, old->address, 0, pc);
  start_semaphore(at, value, pc).by_init = true;
  record(TREADLE_EV_SEM_INIT, address_of(at), value, 0, pc);
  return 0;
}

int sem_destroy(sem_t* at) noexcept {
  if (native()) return TREADLE_REAL(sem_destroy)(at);
  const std::uint64_t pc = TREADLE_PC();
  Semaphore& semaphore = semaphore_at(at, pc);
  await(TREADLE_EV_SEM_DESTROY, semaphore, pc);
  if (semaphore.waiting > 0 && semaphore.value == 0) misuse(TREADLE_MISUSE_DESTROY_IN_USE, semaphore.address, 0, pc);
  semaphore.destroyed = true;
  record(TREADLE_EV_SEM_DESTROY, semaphore.address, 0, 0, pc);
  return 0;
}

int sem_wait(sem_t* at) {
  if (native()) return TREADLE_REAL(sem_wait)(at);
  return wait(at, TREADLE_EV_SEM_WAIT, {}, TREADLE_PC());
}

int sem_timedwait(sem_t* at, const timespec* limit) {
  if (native()) return TREADLE_REAL(sem_timedwait)(at, limit);
  return wait(at, TREADLE_EV_SEM_TIMEDWAIT, {CLOCK_REALTIME, limit}, TREADLE_PC());
}

int sem_clockwait(sem_t* at, clockid_t clock, const timespec* limit) {
  if (native()) return TREADLE_REAL(sem_clockwait)(at, clock, limit);
  return wait(at, TREADLE_EV_SEM_TIMEDWAIT, {clock, limit}, TREADLE_PC());
}

int sem_trywait(sem_t* at) noexcept {
  if (native()) return TREADLE_REAL(sem_trywait)(at);
  const std::uint64_t pc = TREADLE_PC();
  Semaphore& semaphore = semaphore_at(at, pc);
  await(TREADLE_EV_SEM_TRYWAIT, semaphore, pc, [](const Thread& t) { return static_cast<Semaphore*>(t.pending.object)->value == 0; });
  const int error = semaphore.value > 0 ? 0 : EAGAIN;
  if (error == 0)
    take(semaphore);
  else
    spin_read(&semaphore.value, sizeof semaphore.value);
  record(TREADLE_EV_SEM_TRYWAIT, semaphore.address, semaphore.value, static_cast<std::uint64_t>(error), pc);
  return error == 0 ? 0 : fail(error);
}

int sem_post(sem_t* at) noexcept {
  if (native()) return TREADLE_REAL(sem_post)(at);
  const std::uint64_t pc = TREADLE_PC();
  Semaphore& semaphore = semaphore_at(at, pc);
  await(TREADLE_EV_SEM_POST, semaphore, pc);
  const int error = semaphore.value == SEM_VALUE_MAX ? EOVERFLOW : 0;
  if (error != 0) {
    misuse(TREADLE_MISUSE_SEM_OVERFLOW, semaphore.address, 0, pc);
  } else {
    ++semaphore.value;
    hb_release(semaphore.clock);
    spin_wrote();
  }
  record(TREADLE_EV_SEM_POST, semaphore.address, semaphore.value, static_cast<std::uint64_t>(error), pc);
  return error == 0 ? 0 : fail(error);
}

int sem_getvalue(sem_t* at, int* value) noexcept {
  if (native()) return TREADLE_REAL(sem_getvalue)(at, value);
  const std::uint64_t pc = TREADLE_PC();
  Semaphore& semaphore = semaphore_at(at, pc);
  await(TREADLE_EV_SEM_GETVALUE, semaphore, pc);
  const auto before = static_cast<std::uint32_t>(*value);
  *value = static_cast<int>(semaphore.value);
  spin_read(&semaphore.value, sizeof semaphore.value);
  record(TREADLE_EV_SEM_GETVALUE, semaphore.address, semaphore.value, 0, pc);
  tell_result(value, semaphore.value, before, sizeof *value, pc);
  return 0;
}

}  // extern "C"
