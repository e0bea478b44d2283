// SPDX-License-Identifier: Apache-2.0
// The same loop on a plain variable: a race. Explored, it ends at every optimisation level: no livelock but where nobody sets the flag.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race executions=12
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race races=explore executions=422
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race races=explore flags=-O2 executions=422
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race races=explore flags=-DVOLATILE executions=422
// CHECK: strategy=exhaustive verdict=bugs kinds=livelock races=explore flags=-DNEVER executions=45
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
