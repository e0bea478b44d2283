// SPDX-License-Identifier: Apache-2.0
// Lamport's bakery for two threads, right under SC. Under TSO everything that a customer says of itself may still be in its buffer when it
// looks at the others.
// What fails: both are inside. It happens on x86, more often with -DALIGN. -DFENCED: right on x86.
// record: -DALIGN -DDELAY=50 : assertion
// check: --model tso
#include "provoke.h"

enum { customers = 2 };

static shared entering[customers] __attribute__((aligned(64))), number[customers] __attribute__((aligned(64)));
static atomic_int inside __attribute__((aligned(64)));

#ifdef FENCED
#define fence() atomic_thread_fence(memory_order_seq_cst)
#else
#define fence() ((void)0)
#endif

static int goes_first(int other, int me) {
  const int theirs = get(number[other]), mine = get(number[me]);
  return theirs != 0 && (theirs < mine || (theirs == mine && other < me));
}

static void* enter(void* argument) {
  const int me = number_of(argument);
  align(me);
  set(entering[me], 1);
  fence();
  int highest = 0;
  for (int i = 0; i < customers; i++) {
    const int theirs = get(number[i]);
    if (theirs > highest) highest = theirs;
  }
  set(number[me], highest + 1);
  set(entering[me], 0);
  fence();
  for (int i = 0; i < customers; i++) {
    while (get(entering[i]) == 1) {
    }
    while (goes_first(i, me)) {
    }
  }
  const int others = atomic_fetch_add(&inside, 1);
  assert(others == 0);
  linger(1);
  atomic_fetch_sub(&inside, 1);
  set(number[me], 0);
  return NULL;
}

int main(void) {
  for (int i = 0; i < customers; i++) start(enter);
  join_all();
  return 0;
}
