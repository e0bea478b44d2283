// SPDX-License-Identifier: Apache-2.0
// N threads write the same variable; nobody looks before all are done.
// Classes: N!.
// classes: -DN=3 sc=6
// classes: -DN=6 sc=720
// classes: -DN=8 sc=40320
// classes: -DN=9 sc=362880
// classes: -DN=6 -DORDER=memory_order_relaxed tso=720 pso=720
// classes: -DN=8 -DORDER=memory_order_relaxed tso=40320 pso=40320
#include "threads.h"

#ifndef N
#define N 3
#endif

static atomic_int x;

static void *write_it(void *argument) {
  STORE(x, number_of(argument) + 1);
  return NULL;
}

int main(void) {
  start(write_it, N);
  join_all();
  int last = LOAD(x);
  assert(1 <= last && last <= N);
  return 0;
}
