// SPDX-License-Identifier: Apache-2.0
// Functions of the runtime that it calls itself: by their public names the program may have something else (names_of_the_program.txt).
#pragma once

#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/// Beside the definition of `name`.
#define TREADLE_OWN(name) decltype(::name) treadle_own_##name __attribute__((alias(#name)))

extern "C" {
decltype(::clock_gettime) treadle_own_clock_gettime;
decltype(::clock_nanosleep) treadle_own_clock_nanosleep;
decltype(::getpid) treadle_own_getpid;
decltype(::kill) treadle_own_kill;
decltype(::nanosleep) treadle_own_nanosleep;
decltype(::sched_yield) treadle_own_sched_yield;
}
