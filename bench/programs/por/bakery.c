// SPDX-License-Identifier: Apache-2.0
// Lamport's bakery: N threads, ROUNDS times each. NO_DOORWAY: without `choosing`, two threads can be in the section at once.
// Spins: an iteration that turns out fruitless is given up and counted as blocked, never as an execution.
// classes: -DN=2 sc=9
// classes: -DN=2 -DROUNDS=2 sc=213
// classes: -DN=3 sc=254
// classes: -DN=2 -DROUNDS=3 sc=5289
// bug: -DNO_DOORWAY sc=data-race
#include "threads.h"

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static atomic_int choosing[N], number[N];
static int in_section;

static void lock(int me) {
  int largest = 0;
#ifndef NO_DOORWAY
  STORE(choosing[me], 1);
#endif
  for (int i = 0; i < N; i++) {
    int other = LOAD(number[i]);
    if (other > largest) largest = other;
  }
  int mine = largest + 1;
  STORE(number[me], mine);
#ifndef NO_DOORWAY
  STORE(choosing[me], 0);
#endif
  STORE_BEFORE_LOAD();
  for (int i = 0; i < N; i++) {
    if (i == me) continue;
#ifndef NO_DOORWAY
    while (LOAD(choosing[i])) {
    }
#endif
    for (;;) {
      int other = LOAD(number[i]);
      if (other == 0 || other > mine || (other == mine && i > me)) break;
    }
  }
}

static void unlock(int me) { STORE(number[me], 0); }

static void *work(void *argument) {
  int me = number_of(argument);
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
