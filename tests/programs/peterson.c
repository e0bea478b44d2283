// SPDX-License-Identifier: Apache-2.0
// Peterson's algorithm with unbounded wait loops, on atomics. Correct under SC; the buggy twin announces itself too late.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race executions=7519
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=14559
#include <stdatomic.h>

#include "two.h"

static atomic_int wants[2], turn;
static int shared;

static void critical_section(int me) {
#ifdef FIXED
  wants[me] = 1;
  turn = !me;
#else
  turn = !me;
  wants[me] = 1;
#endif
  while (wants[!me] && turn == !me) {
  }
  shared++;
  wants[me] = 0;
}

static void *left(void *unused) {
  critical_section(0);
  return NULL;
}

static void *right(void *unused) {
  critical_section(1);
  return NULL;
}

int main(void) {
  run_two(left, right);
  return 0;
}
