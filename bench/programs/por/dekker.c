// SPDX-License-Identifier: Apache-2.0
// Dekker's mutual exclusion of two threads, ROUNDS times each. WEAK: it fails under TSO unless there is a FENCE.
// Spins: an iteration that turns out fruitless is given up and counted as blocked, never as an execution.
// classes: -DROUNDS=1 sc=4
// classes: -DROUNDS=2 sc=71
// classes: -DROUNDS=3 sc=1344
// classes: -DROUNDS=4 sc=26797
// classes: -DROUNDS=3 -DWEAK -DFENCE tso=1344
// bug: -DWEAK tso=data-race
#include "threads.h"

#ifndef ROUNDS
#define ROUNDS 1
#endif

static atomic_int wants[2], turn;
static int in_section;

static void lock(int me) {
  int other = 1 - me;
  STORE(wants[me], 1);
  STORE_BEFORE_LOAD();
  while (LOAD(wants[other])) {
    if (LOAD(turn) == me) continue;
    STORE(wants[me], 0);
    while (LOAD(turn) != me) {
    }
    STORE(wants[me], 1);
    STORE_BEFORE_LOAD();
  }
}

static void unlock(int me) {
  STORE(turn, 1 - me);
  STORE(wants[me], 0);
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
  start(work, 2);
  join_all();
  return 0;
}
