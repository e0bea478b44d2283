// SPDX-License-Identifier: Apache-2.0
// N threads each make an element one more than its left neighbour while one thread looks for the last zero.
// Classes: (N + 3) * 2^(N - 2).
// classes: -DN=4 sc=28
// classes: -DN=8 sc=704
// classes: -DN=9 sc=1536
// classes: -DN=13 sc=32768
// classes: -DN=17 sc=655360
// classes: -DN=8 -DORDER=memory_order_relaxed tso=704 pso=704
// classes: -DN=12 -DORDER=memory_order_relaxed tso=15360 pso=15360
#include "threads.h"

#ifndef N
#define N 4
#endif

static atomic_int array[N + 1];

static void *increment(void *argument) {
  int i = number_of(argument);
  STORE(array[i + 1], LOAD(array[i]) + 1);
  return NULL;
}

static void *find_last_zero(void *argument) {
  (void)argument;
  int i = N;
  while (LOAD(array[i]) != 0) i--;
  assert(i >= 0);
  return NULL;
}

int main(void) {
  start(find_last_zero, 1);
  start(increment, N);
  join_all();
  return 0;
}
