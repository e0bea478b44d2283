// SPDX-License-Identifier: Apache-2.0
// N threads read what one writes.
// Classes: 2^N.
// classes: -DN=3 sc=8
// classes: -DN=11 sc=2048
// classes: -DN=13 sc=8192
// classes: -DN=15 sc=32768
// classes: -DN=17 sc=131072
// classes: -DN=20 sc=1048576
// classes: -DN=10 -DORDER=memory_order_relaxed tso=1024 pso=1024
// classes: -DN=13 -DORDER=memory_order_relaxed tso=8192 pso=8192
#include "threads.h"

#ifndef N
#define N 3
#endif

static atomic_int x;

static void *read_it(void *argument) {
  (void)argument;
  int seen = LOAD(x);
  assert(seen == 0 || seen == 1);
  return NULL;
}

static void *write_it(void *argument) {
  (void)argument;
  STORE(x, 1);
  return NULL;
}

int main(void) {
  start(write_it, 1);
  start(read_it, N);
  join_all();
  return 0;
}
