// SPDX-License-Identifier: Apache-2.0
// A compare-and-swap spin lock: N threads, ROUNDS times each.
// Classes: (N * ROUNDS)! / ROUNDS!^N.
// Spins: an iteration that turns out fruitless is given up and counted as blocked, never as an execution.
// classes: -DN=2 sc=2
// classes: -DN=3 -DROUNDS=2 sc=90
// classes: -DN=3 -DROUNDS=3 sc=1680
// classes: -DN=8 sc=40320
#include "threads.h"

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static atomic_int taken;
static int counter;

static void lock(void) {
  int free = 0;
  while (!atomic_compare_exchange_strong(&taken, &free, 1)) free = 0;
}

static void unlock(void) { atomic_store_explicit(&taken, 0, memory_order_release); }

static void *work(void *argument) {
  (void)argument;
  for (int i = 0; i < ROUNDS; i++) {
    lock();
    counter++;
    unlock();
  }
  return NULL;
}

int main(void) {
  start(work, N);
  join_all();
  assert(counter == N * ROUNDS);
  return 0;
}
