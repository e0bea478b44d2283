// SPDX-License-Identifier: Apache-2.0
// What can be asked of and set for a thread and changes nothing that matters here: names, priorities, processors, stacks.
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/carrier.h"
#include "runtime/real.h"
#include "runtime/thread_sync.h"

using namespace treadle;

namespace {

/// Null when it does not exist any more.
ThreadSync* living(pthread_t handle) noexcept {
  const Thread* thread = thread_of(handle);
  return thread == nullptr || thread->joined ? nullptr : &sync_of(*thread);
}

bool fits(int policy, int priority) noexcept {
  return priority >= sched_get_priority_min(policy) && priority <= sched_get_priority_max(policy);
}

}  // namespace

extern "C" {

int pthread_setname_np(pthread_t handle, const char* name) noexcept {
  if (native()) return TREADLE_REAL(pthread_setname_np)(handle, name);
  ThreadSync* sync = living(handle);
  if (sync == nullptr) return ESRCH;
  if (strlen(name) >= sizeof sync->name) return ERANGE;
  strcpy(sync->name, name);
  return 0;
}

int pthread_getname_np(pthread_t handle, char* name, std::size_t bytes) noexcept {
  if (native()) return TREADLE_REAL(pthread_getname_np)(handle, name, bytes);
  const ThreadSync* sync = living(handle);
  if (sync == nullptr) return ESRCH;
  if (bytes < sizeof sync->name) return ERANGE;
  strcpy(name, sync->name[0] != '\0' ? sync->name : "treadle");
  return 0;
}

int pthread_setschedparam(pthread_t handle, int policy, const sched_param* parameters) noexcept {
  if (native()) return TREADLE_REAL(pthread_setschedparam)(handle, policy, parameters);
  ThreadSync* sync = living(handle);
  if (sync == nullptr) return ESRCH;
  if (!fits(policy, parameters->sched_priority)) return EINVAL;
  sync->policy = policy;
  sync->priority = parameters->sched_priority;
  return 0;
}

int pthread_getschedparam(pthread_t handle, int* policy, sched_param* parameters) noexcept {
  if (native()) return TREADLE_REAL(pthread_getschedparam)(handle, policy, parameters);
  const ThreadSync* sync = living(handle);
  if (sync == nullptr) return ESRCH;
  *policy = sync->policy;
  parameters->sched_priority = sync->priority;
  return 0;
}

int pthread_setschedprio(pthread_t handle, int priority) noexcept {
  if (native()) return TREADLE_REAL(pthread_setschedprio)(handle, priority);
  ThreadSync* sync = living(handle);
  if (sync == nullptr) return ESRCH;
  if (!fits(sync->policy, priority)) return EINVAL;
  sync->priority = priority;
  return 0;
}

int pthread_setaffinity_np(pthread_t handle, std::size_t bytes, const cpu_set_t* set) noexcept {
  if (native()) return TREADLE_REAL(pthread_setaffinity_np)(handle, bytes, set);
  return living(handle) == nullptr ? ESRCH : 0;
}

int pthread_getaffinity_np(pthread_t handle, std::size_t bytes, cpu_set_t* set) noexcept {
  if (native()) return TREADLE_REAL(pthread_getaffinity_np)(handle, bytes, set);
  if (living(handle) == nullptr) return ESRCH;
  return sched_getaffinity(0, bytes, set) == 0 ? 0 : errno;
}

int pthread_getattr_np(pthread_t handle, pthread_attr_t* out) noexcept {
  if (native()) return TREADLE_REAL(pthread_getattr_np)(handle, out);
  const Thread* thread = thread_of(handle);
  if (living(handle) == nullptr) return ESRCH;
  if (const int failed = pthread_attr_init(out)) return failed;
  const std::uint64_t bytes = thread->stack_bytes != 0 ? thread->stack_bytes : 8ull << 20;
  pthread_attr_setstack(out, reinterpret_cast<void*>(stack_top(thread->id) - bytes), bytes);
  return pthread_attr_setdetachstate(out, thread->detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
}

int pthread_getcpuclockid(pthread_t handle, clockid_t* clock) noexcept {
  if (native()) return TREADLE_REAL(pthread_getcpuclockid)(handle, clock);
  if (living(handle) == nullptr) return ESRCH;
  *clock = CLOCK_THREAD_CPUTIME_ID;
  return 0;
}

}  // extern "C"
