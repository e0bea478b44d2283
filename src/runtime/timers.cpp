// SPDX-License-Identifier: Apache-2.0
// Timers that interrupt the program at a moment of their own choosing have no place in a Schedule yet: said, not guessed.
#include <signal.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/real.h"
#include "runtime/scheduler.h"

using namespace treadle;

extern "C" {

/// Switching off a timer that was never on is fine; programs do it to be sure.
unsigned alarm(unsigned seconds) noexcept {
  if (native()) return TREADLE_REAL(alarm)(seconds);
  if (seconds != 0) unsupported("the program sets an alarm (alarm); Treadle has no timers that send signals", TREADLE_PC());
  return 0;
}

useconds_t ualarm(useconds_t first, useconds_t interval) noexcept {
  if (native()) return TREADLE_REAL(ualarm)(first, interval);
  if (first != 0) unsupported("the program sets an alarm (ualarm); Treadle has no timers that send signals", TREADLE_PC());
  return 0;
}

int setitimer(__itimer_which_t which, const itimerval* wanted, itimerval* old) noexcept {
  if (native()) return TREADLE_REAL(setitimer)(which, wanted, old);
  if (wanted != nullptr && (wanted->it_value.tv_sec != 0 || wanted->it_value.tv_usec != 0))
    unsupported("the program sets an interval timer (setitimer); Treadle has no timers that send signals", TREADLE_PC());
  if (old != nullptr) *old = {};
  return 0;
}

int timer_create(clockid_t clock, sigevent* event, timer_t* out) noexcept {
  if (native()) return TREADLE_REAL(timer_create)(clock, event, out);
  unsupported("the program creates a timer (timer_create); Treadle has no timers that send signals or start threads", TREADLE_PC());
}

int timerfd_create(__clockid_t clock, int flags) noexcept {
  if (native()) return TREADLE_REAL(timerfd_create)(clock, flags);
  unsupported("the program creates a timer descriptor (timerfd_create), whose time would not be Treadle's virtual time", TREADLE_PC());
}

}  // extern "C"
