// SPDX-License-Identifier: Apache-2.0
// SV-COMP: a function that the program defines under a name beginning with __VERIFIER_atomic_ is atomic.
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion executions=251
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=69
#include <stddef.h>

#include "two.h"

void reach_error(void);

static _Atomic int counter;

#ifdef FIXED
#define add_one __VERIFIER_atomic_add_one
#endif

static void add_one(int by) {
  int seen = counter;
  if (by == 0) return;
  counter = seen + by;
}

static void *increment(void *unused) {
  add_one(1);
  return NULL;
}

int main(void) {
  run_two(increment, increment);
  if (counter != 2) reach_error();
  return 0;
}
