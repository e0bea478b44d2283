// SPDX-License-Identifier: Apache-2.0
// Szymanski's mutual exclusion with a waiting room: N threads, ROUNDS times each.
// Spins: an iteration that turns out fruitless is given up and counted as blocked, never as an execution.
// classes: -DN=2 sc=29
// classes: -DN=2 -DROUNDS=2 sc=1522
// classes: -DN=3 sc=30880
#include "threads.h"

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

enum { outside, wants, waits_for_others, in_doorway, inside };
static atomic_int state[N];
static int in_section;

static void await_open_door(void) {
  for (;;)
    for (int i = 0; i < N; i++)
      if (LOAD(state[i]) == inside) return;
}

static void lock(int me) {
  STORE(state[me], wants);
  for (int i = 0; i < N; i++)
    while (LOAD(state[i]) >= in_doorway) {
    }
  STORE(state[me], in_doorway);
  int others_want = 0;
  for (int i = 0; i < N; i++)
    if (LOAD(state[i]) == wants) others_want = 1;
  if (others_want) {
    STORE(state[me], waits_for_others);
    await_open_door();
  }
  STORE(state[me], inside);
  for (int i = 0; i < me; i++)
    while (LOAD(state[i]) >= waits_for_others) {
    }
}

static void unlock(int me) {
  for (int i = me + 1; i < N; i++)
    for (;;) {
      int other = LOAD(state[i]);
      if (other < waits_for_others || other > in_doorway) break;
    }
  STORE(state[me], outside);
}

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
