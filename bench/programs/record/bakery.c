// SPDX-License-Identifier: Apache-2.0
// Lamport's bakery for two threads, right under SC. Under TSO everything that a customer says of itself may still be in its buffer when it
// looks at the others.
// What fails: both are inside. It happens on x86, more often with -DALIGN. -DFENCED: right on x86.
// record: -DALIGN -DDELAY=50 : assertion
// record one instruction at a time: -DTSO_MACHINE=20000 -DDELAY=50 : assertion
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

#ifdef TSO_MACHINE
#define drain(me) (until_the_buffer_drains(), set(number[me], get(buffered[1])))
#else
#define drain(me) ((void)0)
#endif

// What a customer sees of the counters: its own ones, with -DTSO_MACHINE, as they are in its buffer.
struct view {
  shared *entering[customers], *number[customers];
};

static int goes_first(const struct view* seen, int other, int me) {
  const int theirs = get(*seen->number[other]), mine = get(*seen->number[me]);
  return theirs != 0 && (theirs < mine || (theirs == mine && other < me));
}

static void* enter(void* argument) {
  const int me = number_of(argument);
  struct view seen = {{&entering[0], &entering[1]}, {&number[0], &number[1]}};
#ifdef TSO_MACHINE
  shared buffered[2] = {0, 0};
  seen.entering[me] = &buffered[0];
  seen.number[me] = &buffered[1];
#endif
  align(me);
  set(*seen.entering[me], 1);
  fence();
  int highest = 0;
  for (int i = 0; i < customers; i++) {
    const int theirs = get(*seen.number[i]);
    if (theirs > highest) highest = theirs;
  }
  set(*seen.number[me], highest + 1);
  set(*seen.entering[me], 0);
  fence();
  for (int i = 0; i < customers; i++) {
    while (get(*seen.entering[i]) == 1) {
    }
    while (goes_first(&seen, i, me)) {
    }
  }
  const int others = (drain(me), atomic_fetch_add(&inside, 1));  // one line: blocks are known by their lines too
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
