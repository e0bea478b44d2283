// SPDX-License-Identifier: Apache-2.0
// Handlers run in the order of the standard, the newest first, also those that handlers add and when libc exits by itself; destructors come
// last.
// CHECK: strategy=exhaustive verdict=clean options=--outcomes outcomes="destructor=4,first=1,second=2,third=33" executions=1
// CHECK: strategy=exhaustive verdict=clean options="--outcomes --guard-every 1" flags=-DERRX outcomes="destructor=4,first=1,second=2,third=33" executions=1
// CHECK: strategy=exhaustive verdict=clean options="--outcomes --carrier fork" outcomes="destructor=4,first=1,second=2,third=33" executions=1
// CHECK: strategy=exhaustive verdict=clean options=--outcomes flags=-DQUICK outcomes="quick=1" executions=1
#define _GNU_SOURCE
#include <err.h>
#include <stdlib.h>
#include <treadle/treadle.h>

static int order;

static void second(void) { treadle_observe("second", ++order); }

static void first(void) {
  treadle_observe("first", ++order);
  atexit(second);
}

static void third(int status, void *unused) { treadle_observe("third", status * 10 + ++order); }

static void quick(void) { treadle_observe("quick", ++order); }

__attribute__((destructor)) static void destructor(void) { treadle_observe("destructor", ++order); }

int main(void) {
  on_exit(third, NULL);
  atexit(first);
  at_quick_exit(quick);
#if defined(QUICK)
  quick_exit(3);
#elif defined(ERRX)
  errx(3, "libc's own way out");
#else
  exit(3);
#endif
}
