// SPDX-License-Identifier: Apache-2.0
// Clocks. Reading one is no scheduling point, but what was handed out is recorded. Each reading advances time a little, and more when there
// have been many, so that a loop that only waits for a clock comes to its end after some hundred rounds.
//
// Constructors before main see virtual time too: a global that keeps its moment of creation must be the same in every process.
#include "runtime/time.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>

#include <cerrno>

#include "runtime/io.h"
#include "runtime/own.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"

namespace treadle {

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kTick = 1'000;
constexpr std::uint64_t kMonotonicAtMain = 1'000 * kSecond;
constexpr std::uint64_t kPreludeStarts = kMonotonicAtMain - kSecond;
constexpr std::uint64_t kRealtimeAtMain = 1'704'067'200 * kSecond;  // 2024-01-01 00:00:00 UTC
constexpr std::uint64_t kRealtimeAhead = kRealtimeAtMain - kMonotonicAtMain;

/// Before the runtime is set up there is no state, and no execution that could differ.
TimeState& state() noexcept {
  World& w = world();
  if (w.time == nullptr) time_start();
  return *w.time;
}

/// The first hundred take a microsecond each, every fifty more twice as much, at most a millisecond.
std::uint64_t next_reading(std::uint64_t before) noexcept {
  if (before < 100) return kTick;
  const std::uint64_t doublings = (before - 100) / 50 + 1;
  return doublings > 10 ? kTick << 10 : kTick << doublings;
}

std::uint64_t cpu_time_of_process() noexcept { return state().reading; }
std::uint64_t cpu_time_of_thread() noexcept {
  const World& w = world();
  return (w.current == nullptr ? 0 : w.current->steps) * kTick + state().reading;
}

std::uint64_t value_of(clockid_t clock) noexcept {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      return virtual_now() + kRealtimeAhead;
    case CLOCK_PROCESS_CPUTIME_ID:
      return cpu_time_of_process();
    case CLOCK_THREAD_CPUTIME_ID:
      return cpu_time_of_thread();
    default:  // the dynamic CPU clocks of clock_getcpuclockid and pthread_getcpuclockid are negative
      return clock < 0 ? cpu_time_of_process() : virtual_now();
  }
}

/// On the program's behalf: the reading is an event.
std::uint64_t read_clock(clockid_t clock, std::uint64_t pc) noexcept {
  TimeState& s = state();
  s.reading += next_reading(s.readings++);
  const std::uint64_t value = value_of(clock);
  record(TREADLE_EV_CLOCK, static_cast<std::uint64_t>(clock), value, 0, pc);
  return value;
}

timespec to_timespec(std::uint64_t nanoseconds) noexcept {
  return {static_cast<time_t>(nanoseconds / kSecond), static_cast<long>(nanoseconds % kSecond)};
}

timeval to_timeval(std::uint64_t nanoseconds) noexcept {
  return {static_cast<time_t>(nanoseconds / kSecond), static_cast<suseconds_t>(nanoseconds % kSecond / 1000)};
}

bool known(clockid_t clock) noexcept { return clock < 0 || clock <= CLOCK_TAI; }

}  // namespace

void time_start() noexcept {
  auto* s = arena_new<TimeState>();
  s->waited = kPreludeStarts;
  world().time = s;
}

void time_execution_begin() noexcept {
  TimeState& s = state();
  s.readings = s.reading = 0;
  s.waited = kMonotonicAtMain;
  io_execution_begin();
  world().threads[0].random = world().job->seed * 0x9e3779b97f4a7c15ull + 0x7265616474ull;
}

std::uint64_t virtual_now() noexcept {
  const TimeState& s = state();
  return s.waited + s.reading;
}

std::uint64_t virtual_deadline(clockid_t clock, const timespec* absolute) noexcept {
  if (absolute->tv_sec < 0) return 0;
  const auto seconds = static_cast<std::uint64_t>(absolute->tv_sec);
  if (seconds > 1ull << 33) return ~0ull;  // the year 2242: for ever
  const std::uint64_t at = seconds * kSecond + static_cast<std::uint64_t>(absolute->tv_nsec);
  if (clock != CLOCK_REALTIME && clock != CLOCK_TAI) return at;
  return at < kRealtimeAhead ? 0 : at - kRealtimeAhead;
}

void advance_clock_to(std::uint64_t nanoseconds) noexcept {
  const std::uint64_t now = virtual_now();
  if (nanoseconds > now && nanoseconds != ~0ull) state().waited += nanoseconds - now;
}

}  // namespace treadle

using namespace treadle;

extern "C" {

int clock_gettime(clockid_t clock, timespec* out) noexcept {
  if (native()) return TREADLE_REAL(clock_gettime)(clock, out);
  if (!known(clock)) return errno = EINVAL, -1;
  *out = to_timespec(read_clock(clock, TREADLE_PC()));
  return 0;
}

TREADLE_OWN(clock_gettime);

int clock_getres(clockid_t clock, timespec* out) noexcept {
  if (native()) return TREADLE_REAL(clock_getres)(clock, out);
  if (!known(clock)) return errno = EINVAL, -1;
  if (out != nullptr) *out = {0, 1};
  return 0;
}

int gettimeofday(timeval* out, void* zone) noexcept {
  if (native()) return TREADLE_REAL(gettimeofday)(out, zone);
  const std::uint64_t now = read_clock(CLOCK_REALTIME, TREADLE_PC());
  *out = to_timeval(now);
  if (zone != nullptr) *static_cast<struct timezone*>(zone) = {0, 0};
  return 0;
}

time_t time(time_t* out) noexcept {
  if (native()) return TREADLE_REAL(time)(out);
  const auto seconds = static_cast<time_t>(read_clock(CLOCK_REALTIME, TREADLE_PC()) / kSecond);
  if (out != nullptr) *out = seconds;
  return seconds;
}

int timespec_get(timespec* out, int base) noexcept {
  if (native()) return TREADLE_REAL(timespec_get)(out, base);
  if (base != TIME_UTC) return 0;
  *out = to_timespec(read_clock(CLOCK_REALTIME, TREADLE_PC()));
  return base;
}

clock_t clock() noexcept {
  if (native()) return TREADLE_REAL(clock)();
  return static_cast<clock_t>(read_clock(CLOCK_PROCESS_CPUTIME_ID, TREADLE_PC()) / 1000);
}

clock_t times(tms* out) noexcept {
  if (native()) return TREADLE_REAL(times)(out);
  constexpr std::uint64_t kClockTick = kSecond / 100;
  if (out != nullptr) *out = {static_cast<clock_t>(cpu_time_of_process() / kClockTick), 0, 0, 0};
  return static_cast<clock_t>(read_clock(CLOCK_MONOTONIC, TREADLE_PC()) / kClockTick);
}

/// Everything but the time is what the machine happens to have done, and differs between runs: zero.
int getrusage(__rusage_who_t who, rusage* out) noexcept {
  if (native()) return TREADLE_REAL(getrusage)(who, out);
  __builtin_memset(out, 0, sizeof *out);
  out->ru_utime = to_timeval(read_clock(CLOCK_PROCESS_CPUTIME_ID, TREADLE_PC()));
  return 0;
}

/// The machine's clock is not a test's to set.
int clock_settime(clockid_t clock, const timespec* value) noexcept {
  if (native()) return TREADLE_REAL(clock_settime)(clock, value);
  return errno = EPERM, -1;
}

int settimeofday(const timeval* value, const struct timezone* zone) noexcept {
  if (native()) return TREADLE_REAL(settimeofday)(value, zone);
  return errno = EPERM, -1;
}

}  // extern "C"
