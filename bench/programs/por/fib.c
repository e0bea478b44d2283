// SPDX-License-Identifier: Apache-2.0
// Two threads add two variables up in turn, N times each: the largest sum is a Fibonacci number. TOO_LOW: the assertion is one too strict.
// classes: -DN=2 sc=19
// classes: -DN=3 sc=141
// classes: -DN=4 sc=1107
// classes: -DN=5 sc=8953
// classes: -DN=6 sc=73789
// classes: -DN=4 -DORDER=memory_order_relaxed tso=1764 pso=1764
// classes: -DN=5 -DORDER=memory_order_relaxed tso=19404 pso=19404
// bug: -DN=3 -DTOO_LOW sc=assertion
#include "threads.h"

#ifndef N
#define N 2
#endif

static atomic_int i = 1, j = 1;

static void *add_to_i(void *argument) {
  (void)argument;
  for (int k = 0; k < N; k++) STORE(i, LOAD(i) + LOAD(j));
  return NULL;
}

static void *add_to_j(void *argument) {
  (void)argument;
  for (int k = 0; k < N; k++) STORE(j, LOAD(j) + LOAD(i));
  return NULL;
}

static int largest(void) {
  int before = 1, now = 1;
  for (int k = 0; k < 2 * N; k++) {
    int next = before + now;
    before = now;
    now = next;
  }
  return now;
}

int main(void) {
  start(add_to_i, 1);
  start(add_to_j, 1);
  join_all();
#ifdef TOO_LOW
  assert(LOAD(i) < largest() && LOAD(j) < largest());
#else
  assert(LOAD(i) <= largest() && LOAD(j) <= largest());
#endif
  return 0;
}
