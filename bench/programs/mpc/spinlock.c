// SPDX-License-Identifier: Apache-2.0
// Table 2, spinlock: a lock that is a compare-exchange. T threads, each with K attempts to get it and as many releases as it got
// it; what they do inside depends on an input. -DBROKEN: the release does not look whether it was got.
// mpc: -DT=2 -DK=1 : nothing
// mpc: -DT=2 -DK=2 -DBROKEN : assertion
// long-mpc: -DT=2 -DK=5 : nothing
// long-mpc: -DT=3 -DK=3 : nothing
#include "inputs.h"

#ifndef T
#define T 2
#endif
#ifndef K
#define K 5
#endif

static atomic_int lock;
static int inside, counter;

static int try_to_get(void) {
  int free = 0;
  return atomic_compare_exchange_strong(&lock, &free, 1);
}

static void *run(void *unused) {
  (void)unused;
  const int amount = treadle_input_range("amount", 0, 3);
  for (int k = 0; k < K; k++) {
    const int got = try_to_get();
    if (got) {
      assert(inside == 0);
      inside = 1;
      if (amount > 1) counter += amount;
      inside = 0;
    }
#ifdef BROKEN
    atomic_store(&lock, 0);
#else
    if (got) atomic_store(&lock, 0);
#endif
  }
  return NULL;
}

int main(void) {
  for (int t = 0; t < T; t++) start(t, run);
  join_all(T);
  return 0;
}
