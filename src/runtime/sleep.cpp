// SPDX-License-Identifier: Apache-2.0
// Sleeps and yields: visible operations that are always enabled. A sleep moves the virtual clock and orders nothing: a program that relies
// on "the other thread is surely done by then" is shown to be wrong.
#include <sched.h>
#include <threads.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/own.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"
#include "runtime/spin.h"
#include "runtime/thread_sync.h"
#include "runtime/time.h"

namespace treadle {

void virtual_sleep(std::uint64_t nanoseconds, std::uint64_t pc) noexcept {
  Pending what;
  what.kind = TREADLE_EV_SLEEP;
  what.pc = pc;
  step(what);
  spin_idle();
  act_on_cancel();
  const std::uint64_t now = virtual_now();
  advance_clock_to(nanoseconds < ~0ull - now ? now + nanoseconds : ~0ull - 1);
  record(TREADLE_EV_SLEEP, 0, nanoseconds, 0, pc);
}

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

bool valid(const timespec& t) noexcept { return t.tv_sec >= 0 && t.tv_nsec >= 0 && t.tv_nsec < 1'000'000'000; }

std::uint64_t nanoseconds_of(const timespec& t) noexcept {
  if (t.tv_sec > 1ll << 33) return (1ull << 33) * kSecond;
  return static_cast<std::uint64_t>(t.tv_sec) * kSecond + static_cast<std::uint64_t>(t.tv_nsec);
}

int virtual_yield(std::uint64_t pc) noexcept {
  step(TREADLE_EV_YIELD, 0, pc);
  spin_idle();
  record(TREADLE_EV_YIELD, 0, 0, 0, pc);
  return 0;
}

/// 0 or an errno.
int virtual_nanosleep(const timespec* wanted, std::uint64_t pc) noexcept {  // never interrupted: what would be left stays untouched
  if (!valid(*wanted)) return EINVAL;
  virtual_sleep(nanoseconds_of(*wanted), pc);
  return 0;
}

}  // namespace

}  // namespace treadle

using namespace treadle;

extern "C" {

int nanosleep(const timespec* wanted, timespec* left) {
  if (native()) return TREADLE_REAL(nanosleep)(wanted, left);
  const int failed = virtual_nanosleep(wanted, TREADLE_PC());
  return failed == 0 ? 0 : (errno = failed, -1);
}

TREADLE_OWN(nanosleep);

int clock_nanosleep(clockid_t clock, int flags, const timespec* wanted, timespec* left) {
  if (native()) return TREADLE_REAL(clock_nanosleep)(clock, flags, wanted, left);
  if (clock == CLOCK_THREAD_CPUTIME_ID) return EINVAL;
  if ((flags & TIMER_ABSTIME) == 0) return virtual_nanosleep(wanted, TREADLE_PC());
  if (!valid(*wanted)) return EINVAL;
  const std::uint64_t deadline = virtual_deadline(clock, wanted);
  const std::uint64_t now = virtual_now();
  virtual_sleep(deadline > now ? deadline - now : 0, TREADLE_PC());
  return 0;
}

TREADLE_OWN(clock_nanosleep);

int usleep(useconds_t microseconds) {
  if (native()) return TREADLE_REAL(usleep)(microseconds);
  virtual_sleep(microseconds * 1000ull, TREADLE_PC());
  return 0;
}

unsigned sleep(unsigned seconds) {
  if (native()) return TREADLE_REAL(sleep)(seconds);
  virtual_sleep(seconds * kSecond, TREADLE_PC());
  return 0;
}

int thrd_sleep(const timespec* wanted, timespec* left) {
  if (native()) return TREADLE_REAL(thrd_sleep)(wanted, left);
  return virtual_nanosleep(wanted, TREADLE_PC()) == 0 ? 0 : -2;
}

/// pthread_yield is another name for it in the headers.
int sched_yield() noexcept {
  if (native()) return TREADLE_REAL(sched_yield)();
  return virtual_yield(TREADLE_PC());
}

TREADLE_OWN(sched_yield);

void thrd_yield() {
  if (native()) return TREADLE_REAL(thrd_yield)();
  virtual_yield(TREADLE_PC());
}

}  // extern "C"
