// SPDX-License-Identifier: Apache-2.0
// A compare-and-swap spin lock: N threads, ROUNDS times each.
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
