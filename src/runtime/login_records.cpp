// SPDX-License-Identifier: Apache-2.0
// libc reads the records of who is logged in straight into a variable of its own. That memory is watched (watched.h), where the kernel
// cannot write, so whoever asks for them gets a fresh process each time, in which nothing is watched.
#include <utmp.h>
#include <utmpx.h>

#include "runtime/real.h"
#include "runtime/scheduler.h"

using namespace treadle;

#define TREADLE_LOGIN_RECORD(result, name, parameters, arguments, exception)                   \
  result name parameters exception {                                                           \
    if (!native()) needs_fork("reads or writes the records of logged-in users", TREADLE_PC()); \
    return TREADLE_REAL(name) arguments;                                                       \
  }

extern "C" {

TREADLE_LOGIN_RECORD(utmp*, getutent, (), (), noexcept)
TREADLE_LOGIN_RECORD(utmp*, getutid, (const utmp* id), (id), noexcept)
TREADLE_LOGIN_RECORD(utmp*, getutline, (const utmp* line), (line), noexcept)
TREADLE_LOGIN_RECORD(utmp*, pututline, (const utmp* record), (record), noexcept)
TREADLE_LOGIN_RECORD(int, getutent_r, (utmp * to, utmp** found), (to, found), noexcept)
TREADLE_LOGIN_RECORD(int, getutid_r, (const utmp* id, utmp* to, utmp** found), (id, to, found), noexcept)
TREADLE_LOGIN_RECORD(int, getutline_r, (const utmp* line, utmp* to, utmp** found), (line, to, found), noexcept)
TREADLE_LOGIN_RECORD(utmpx*, getutxent, (), (), )
TREADLE_LOGIN_RECORD(utmpx*, getutxid, (const utmpx* id), (id), )
TREADLE_LOGIN_RECORD(utmpx*, getutxline, (const utmpx* line), (line), )
TREADLE_LOGIN_RECORD(utmpx*, pututxline, (const utmpx* record), (record), )

}  // extern "C"
