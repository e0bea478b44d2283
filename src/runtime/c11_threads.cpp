// SPDX-License-Identifier: Apache-2.0
// <threads.h>. glibc's own never reach pthread_*, so each function stands here by itself, on the same ground as its POSIX sister.
#include <threads.h>

#include <cerrno>

#include "runtime/condition.h"
#include "runtime/real.h"
#include "runtime/symbolic.h"
#include "runtime/thread_sync.h"

using namespace treadle;

namespace {

int c11_result(int error) noexcept {
  switch (error) {
    case 0:
      return thrd_success;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    case EBUSY:
      return thrd_busy;
    default:
      return thrd_error;
  }
}

Mutex& mtx_at(const mtx_t* mutex, std::uint64_t pc) noexcept { return mutex_at(mutex, pc, true); }
Condition& cnd_at(const cnd_t* condition, std::uint64_t pc) noexcept { return condition_at(condition, pc, true); }

pthread_mutex_t* as_pthread(mtx_t* mutex) noexcept { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* as_pthread(cnd_t* condition) noexcept { return reinterpret_cast<pthread_cond_t*>(condition); }

}  // namespace

extern "C" {

int thrd_create(thrd_t* handle, thrd_start_t start, void* argument) {
  if (native()) return TREADLE_REAL(thrd_create)(handle, start, argument);
  *handle = start_thread({nullptr, start, argument, 0, false}, TREADLE_PC());
  return thrd_success;
}

thrd_t thrd_current() { return native() ? TREADLE_REAL(thrd_current)() : handle_of(self()); }

void thrd_exit(int result) {
  if (native()) TREADLE_REAL(thrd_exit)(result);
  exit_thread(reinterpret_cast<void*>(static_cast<std::intptr_t>(result)));
}

int thrd_join(thrd_t handle, int* result) {
  if (native()) return TREADLE_REAL(thrd_join)(handle, result);
  void* value = nullptr;
  const std::uint64_t pc = TREADLE_PC();
  const Thread* target = thread_of(handle);
  const int failed = join_thread(handle, &value, {}, pc);
  if (failed == 0 && result != nullptr) {
    const int before = *result;
    *result = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
    tell_result(result, static_cast<std::uint32_t>(*result), static_cast<std::uint32_t>(before), sizeof *result, pc);
    symbolic_result_written(target->id, result, sizeof *result, pc);
  }
  return c11_result(failed);
}

int thrd_detach(thrd_t handle) {
  if (native()) return TREADLE_REAL(thrd_detach)(handle);
  return c11_result(detach_thread(handle, TREADLE_PC()));
}

int mtx_init(mtx_t* mutex, int type) {
  if (native()) return TREADLE_REAL(mtx_init)(mutex, type);
  if (type < 0 || type > (mtx_recursive | mtx_timed)) return thrd_error;
  init_mutex(as_pthread(mutex), (type & mtx_recursive) != 0 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL, TREADLE_PC());
  return thrd_success;
}

int mtx_lock(mtx_t* mutex) {
  if (native()) return TREADLE_REAL(mtx_lock)(mutex);
  return c11_result(lock_mutex(mtx_at(mutex, TREADLE_PC()), TREADLE_EV_LOCK, {}, TREADLE_PC()));
}

int mtx_timedlock(mtx_t* mutex, const timespec* limit) {
  if (native()) return TREADLE_REAL(mtx_timedlock)(mutex, limit);
  return c11_result(lock_mutex(mtx_at(mutex, TREADLE_PC()), TREADLE_EV_TIMEDLOCK, {CLOCK_REALTIME, limit}, TREADLE_PC()));
}

int mtx_trylock(mtx_t* mutex) {
  if (native()) return TREADLE_REAL(mtx_trylock)(mutex);
  return c11_result(try_lock_mutex(mtx_at(mutex, TREADLE_PC()), TREADLE_PC()));
}

int mtx_unlock(mtx_t* mutex) {
  if (native()) return TREADLE_REAL(mtx_unlock)(mutex);
  return c11_result(unlock_mutex(mtx_at(mutex, TREADLE_PC()), TREADLE_PC()));
}

void mtx_destroy(mtx_t* mutex) {
  if (native()) return TREADLE_REAL(mtx_destroy)(mutex);
  destroy_mutex(as_pthread(mutex), mtx_at(mutex, TREADLE_PC()), TREADLE_PC());
}

int cnd_init(cnd_t* condition) {
  if (native()) return TREADLE_REAL(cnd_init)(condition);
  return c11_result(init_condition(as_pthread(condition), nullptr, TREADLE_PC()));
}

int cnd_signal(cnd_t* condition) {
  if (native()) return TREADLE_REAL(cnd_signal)(condition);
  signal_condition(cnd_at(condition, TREADLE_PC()), TREADLE_PC());
  return thrd_success;
}

int cnd_broadcast(cnd_t* condition) {
  if (native()) return TREADLE_REAL(cnd_broadcast)(condition);
  broadcast_condition(cnd_at(condition, TREADLE_PC()), TREADLE_PC());
  return thrd_success;
}

int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  if (native()) return TREADLE_REAL(cnd_wait)(condition, mutex);
  const std::uint64_t pc = TREADLE_PC();
  return c11_result(wait_for_condition(cnd_at(condition, pc), mtx_at(mutex, pc), {}, pc));
}

int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* limit) {
  if (native()) return TREADLE_REAL(cnd_timedwait)(condition, mutex, limit);
  const std::uint64_t pc = TREADLE_PC();
  return c11_result(wait_for_condition(cnd_at(condition, pc), mtx_at(mutex, pc), {CLOCK_REALTIME, limit}, pc));
}

void cnd_destroy(cnd_t* condition) {
  if (native()) return TREADLE_REAL(cnd_destroy)(condition);
  destroy_condition(as_pthread(condition), cnd_at(condition, TREADLE_PC()), TREADLE_PC());
}

int tss_create(tss_t* key, tss_dtor_t destructor) {
  if (native()) return TREADLE_REAL(tss_create)(key, destructor);
  return c11_result(create_key(key, destructor));
}

void* tss_get(tss_t key) { return native() ? TREADLE_REAL(tss_get)(key) : get_specific(key); }

int tss_set(tss_t key, void* value) {
  if (native()) return TREADLE_REAL(tss_set)(key, value);
  return c11_result(set_specific(key, value));
}

void tss_delete(tss_t key) {
  if (native()) return TREADLE_REAL(tss_delete)(key);
  delete_key(key);
}

}  // extern "C"
