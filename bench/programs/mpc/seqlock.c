// SPDX-License-Identifier: Apache-2.0
// Table 2, seqlock: Linux's sequential lock: a writer makes the count odd and even again, a reader takes what it has read when the
// count was even and is still the same. T threads with K attempts each, the first writes what an input says. -DBROKEN: readers do
// not look again.
// mpc: -DT=2 -DK=1 : nothing
// mpc: -DT=2 -DK=1 -DBROKEN : assertion
// long-mpc: -DT=3 -DK=3 : nothing
#include "inputs.h"

#ifndef T
#define T 3
#endif
#ifndef K
#define K 3
#endif

static atomic_int sequence;
static int first, second;

static void *write_both(void *unused) {
  (void)unused;
  const int value = treadle_input_range("value", 0, 100);
  for (int k = 0; k < K; k++) {
    atomic_fetch_add(&sequence, 1);
    first = value + k;
    if (value > 50) first -= 50;
    second = first;
    atomic_fetch_add(&sequence, 1);
  }
  return NULL;
}

static void *read_both(void *unused) {
  (void)unused;
  for (int k = 0; k < K; k++) {
    const int before = atomic_load(&sequence);
    if (before & 1) continue;
    const int a = first, b = second;
#ifndef BROKEN
    if (atomic_load(&sequence) != before) continue;
#endif
    assert(a == b);
  }
  return NULL;
}

int main(void) {
  start(0, write_both);
  for (int t = 1; t < T; t++) start(t, read_both);
  join_all(T);
  return 0;
}
