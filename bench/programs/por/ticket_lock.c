// SPDX-License-Identifier: Apache-2.0
// A ticket lock: N threads, ROUNDS times each.
// Classes: N! for one round.
// Spins: an iteration that turns out fruitless is given up and counted as blocked, never as an execution.
// classes: -DN=2 sc=2
// classes: -DN=3 sc=6
// classes: -DN=6 sc=720
// classes: -DN=7 sc=5040
#include "threads.h"

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static atomic_int next_ticket, now_serving;
static int counter;

static void lock(void) {
  int mine = atomic_fetch_add(&next_ticket, 1);
  while (atomic_load_explicit(&now_serving, memory_order_acquire) != mine) {
  }
}

static void unlock(void) {
  atomic_store_explicit(&now_serving, atomic_load_explicit(&now_serving, memory_order_relaxed) + 1, memory_order_release);
}

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
