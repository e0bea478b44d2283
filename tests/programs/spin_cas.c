// SPDX-License-Identifier: Apache-2.0
// A home-made spin lock. The buggy one tests and sets in two steps.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race executions=893
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=265
#include <stdatomic.h>

#include "two.h"

static atomic_int taken;
static int shared;

static void acquire(void) {
#ifdef FIXED
  int expected = 0;
  while (!atomic_compare_exchange_weak(&taken, &expected, 1)) expected = 0;
#else
  while (atomic_load(&taken)) {
  }
  atomic_store(&taken, 1);
#endif
}

static void *work(void *unused) {
  acquire();
  shared++;
  atomic_store(&taken, 0);
  return NULL;
}

int main(void) {
  run_two(work, work);
  return 0;
}
