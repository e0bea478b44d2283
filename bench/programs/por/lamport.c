// SPDX-License-Identifier: Apache-2.0
// Lamport's fast mutual exclusion: N threads, ROUNDS times each.
// Spins: an iteration that turns out fruitless is given up and counted as blocked, never as an execution.
// classes: -DN=2 sc=16
// classes: -DN=2 -DROUNDS=2 sc=1906
// classes: -DN=3 sc=9216
#include "threads.h"

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static atomic_int busy[N + 1], x, y;
static int in_section;

static void await_free(void) {
  while (LOAD(y) != 0) {
  }
}

static void lock(int me) {
  for (;;) {
    STORE(busy[me], 1);
    STORE(x, me);
    if (LOAD(y) != 0) {
      STORE(busy[me], 0);
      await_free();
      continue;
    }
    STORE(y, me);
    if (LOAD(x) == me) return;
    STORE(busy[me], 0);
    for (int i = 1; i <= N; i++)
      while (LOAD(busy[i])) {
      }
    if (LOAD(y) == me) return;
    await_free();
  }
}

static void unlock(int me) {
  STORE(y, 0);
  STORE(busy[me], 0);
}

static void *work(void *argument) {
  int me = number_of(argument) + 1;
  for (int i = 0; i < ROUNDS; i++) {
    lock(me);
    in_section++;
    assert(in_section == 1);
    in_section--;
    unlock(me);
  }
  return NULL;
}

int main(void) {
  start(work, N);
  join_all();
  return 0;
}
