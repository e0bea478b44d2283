// SPDX-License-Identifier: Apache-2.0
// Dekker's mutual exclusion for two threads, right under SC. Under TSO a thread reads the other's flag while the store to its own is still
// in its buffer, and so may the other. What fails: both are inside. It happens on x86, more often with -DALIGN. -DFENCED: right on x86.
// record: -DALIGN -DDELAY=50 : assertion
// record one instruction at a time: -DTSO_MACHINE=20000 -DDELAY=50 : assertion
// check: --model tso
#include "provoke.h"

static shared flag[2] __attribute__((aligned(64))), turn __attribute__((aligned(64)));
static atomic_int inside __attribute__((aligned(64)));

#ifdef FENCED
#define fence() atomic_thread_fence(memory_order_seq_cst)
#else
#define fence() ((void)0)
#endif

static void* enter(void* argument) {
  const int me = number_of(argument), other = 1 - me;
  align(me);
  int theirs = set_then_get(flag[me], 1, flag[other]);
  while (theirs == 1) {
    if (get(turn) != me) {
      set(flag[me], 0);
      while (get(turn) != me) {
      }
      set(flag[me], 1);
      fence();
    }
    theirs = get(flag[other]);
  }
  const int others = atomic_fetch_add(&inside, 1);
  assert(others == 0);
  linger(1);
  atomic_fetch_sub(&inside, 1);
  set(turn, other);
  set(flag[me], 0);
  return NULL;
}

int main(void) {
  start(enter);
  start(enter);
  join_all();
  return 0;
}
