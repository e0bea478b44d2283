// SPDX-License-Identifier: Apache-2.0
// The same loop on a plain variable: a race. Explored, it ends at every optimisation level: no livelock but where nobody sets the flag.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race races=explore
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race races=explore flags=-O2
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race races=explore flags=-DVOLATILE
// CHECK: strategy=exhaustive verdict=bugs kinds=livelock races=explore flags=-DNEVER
#include "two.h"

#ifdef VOLATILE
static volatile int flag;
#else
static int flag;
#endif

static void *waiter(void *unused) {
  while (!flag) {
  }
  return NULL;
}

static void *setter(void *unused) {
#ifndef NEVER
  flag = 1;
#endif
  return NULL;
}

int main(void) {
  run_two(waiter, setter);
  return 0;
}
