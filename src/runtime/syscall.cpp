// SPDX-License-Identifier: Apache-2.0
// The `syscall` function: what goes past libc on purpose and still concerns threads, time or chance is ours, the rest is made as it is.
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

#include "runtime/futex.h"
#include "runtime/own.h"
#include "runtime/real.h"
#include "runtime/sys.h"
#include "runtime/thread_sync.h"
#include "runtime/time.h"

namespace treadle {

namespace {

/// The main thread's is the process's, as the kernel has it.
pid_t virtual_tid(const Thread& thread) noexcept { return treadle_own_getpid() + thread.id; }

long send_signal(long tid, int signal) noexcept {
  const long id = tid - treadle_own_getpid();
  const Thread* target = id < 0 || id >= TREADLE_MAX_THREADS ? nullptr : &world().threads[id];
  return target == nullptr ? -ESRCH : -pthread_kill(handle_of(*target), signal);
}

template <class T>
T* pointer(long value) noexcept {
  return reinterpret_cast<T*>(value);
}

/// A libc-style result as the kernel would give it.
long raw(int result) noexcept { return result == -1 ? -errno : result; }

long virtual_syscall(long number, const long (&a)[6], Result result, std::uint64_t pc) noexcept {
  switch (number) {
    case SYS_futex:
      return virtual_futex(pointer<std::uint32_t>(a[0]), static_cast<int>(a[1]), static_cast<std::uint32_t>(a[2]),
                           static_cast<std::uint64_t>(a[3]), pointer<std::uint32_t>(a[4]), static_cast<std::uint32_t>(a[5]), result, pc);
    case SYS_gettid:
      return virtual_tid(self());
    case SYS_getpid:
      return treadle_own_getpid();
    case SYS_sched_yield:
      return treadle_own_sched_yield();
    case SYS_getrandom:
      fill_randomly(pointer<void>(a[0]), static_cast<std::size_t>(a[1]));
      return a[1];
    case SYS_clock_gettime:
      return raw(treadle_own_clock_gettime(static_cast<clockid_t>(a[0]), pointer<timespec>(a[1])));
    case SYS_nanosleep:
      return raw(treadle_own_nanosleep(pointer<const timespec>(a[0]), pointer<timespec>(a[1])));
    case SYS_clock_nanosleep:
      return -treadle_own_clock_nanosleep(static_cast<clockid_t>(a[0]), static_cast<int>(a[1]), pointer<const timespec>(a[2]),
                                          pointer<timespec>(a[3]));
    case SYS_tkill:
      return send_signal(a[0], static_cast<int>(a[1]));
    case SYS_tgkill:
      return send_signal(a[1], static_cast<int>(a[2]));
    case SYS_kill:
      return raw(treadle_own_kill(static_cast<pid_t>(a[0]), static_cast<int>(a[1])));
    case SYS_exit_group:
      _exit(static_cast<int>(a[0]));
    case SYS_exit:
    case SYS_clone:
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork:
      unsupported("the program makes or ends threads or processes with a system call of its own", pc);
    default:
      return sys(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  }
}

long system_call(long number, va_list rest, Result asked, std::uint64_t pc) noexcept {
  long a[6];
  for (long& argument : a) argument = va_arg(rest, long);
  const long result = native() ? sys(number, a[0], a[1], a[2], a[3], a[4], a[5]) : virtual_syscall(number, a, asked, pc);
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace

}  // namespace treadle

using namespace treadle;

extern "C" {

long syscall(long number, ...) noexcept {
  va_list rest;
  va_start(rest, number);
  const long result = system_call(number, rest, Result::Used, TREADLE_PC());
  va_end(rest);
  return result;
}

/// Called instead where the result is not used (src/pass/futex_calls.cpp).
long __treadle_futex_wake(long number, ...) noexcept {
  va_list rest;
  va_start(rest, number);
  const long result = system_call(number, rest, Result::Unused, TREADLE_PC());
  va_end(rest);
  return result;
}

pid_t gettid() noexcept { return native() ? static_cast<pid_t>(sys(SYS_gettid)) : virtual_tid(self()); }

}  // extern "C"
