// SPDX-License-Identifier: Apache-2.0
// Table 2, linuxrwlock: Linux's readers-writer lock, a counter that starts at its bias; a reader takes 1, a writer all of it. T
// threads, each with K attempts; an input says for each thread whether it reads or writes. -DBROKEN: a writer that fails gives back
// too little.
// mpc: -DT=2 -DK=1 : nothing
// mpc: -DT=2 -DK=2 -DBROKEN : assertion
// long-mpc: -DT=2 -DK=5 : nothing
#include "inputs.h"

#ifndef T
#define T 2
#endif
#ifndef K
#define K 5
#endif

enum { bias = 0x100 };

static atomic_int lock = bias;
static int readers_see, written;

static int try_to_read(void) {
  if (atomic_fetch_sub(&lock, 1) > 0) return 1;
  atomic_fetch_add(&lock, 1);
  return 0;
}

static int try_to_write(void) {
  if (atomic_fetch_sub(&lock, bias) == bias) return 1;
#ifdef BROKEN
  atomic_fetch_add(&lock, bias - 1);
#else
  atomic_fetch_add(&lock, bias);
#endif
  return 0;
}

static void *run(void *unused) {
  (void)unused;
  const int writes = treadle_input_bool("writes");
  for (int k = 0; k < K; k++) {
    if (writes) {
      if (!try_to_write()) continue;
      written++;
      readers_see = written;
      atomic_fetch_add(&lock, bias);
    } else {
      if (!try_to_read()) continue;
      assert(readers_see == written);
      atomic_fetch_add(&lock, 1);
    }
  }
  return NULL;
}

int main(void) {
  for (int t = 0; t < T; t++) start(t, run);
  join_all(T);
  assert(atomic_load(&lock) == bias);
  return 0;
}
