// SPDX-License-Identifier: Apache-2.0
// Read-copy-update in small: a writer publishes UPDATES new versions and, after waiting for each of READERS threads to be outside, spoils
// the old one. NO_GRACE: it does not wait, and a reader can see a spoilt version.
// Classes: (2 * UPDATES + 1)^READERS.
// Spins: an iteration that turns out fruitless is given up and counted as blocked, never as an execution.
// classes: -DREADERS=1 -DUPDATES=1 sc=3
// classes: -DREADERS=3 -DUPDATES=2 sc=125
// classes: -DREADERS=7 -DUPDATES=1 sc=2187
// classes: -DREADERS=6 -DUPDATES=2 sc=15625
// bug: -DNO_GRACE sc=assertion
#include "threads.h"

#ifndef READERS
#define READERS 1
#endif
#ifndef UPDATES
#define UPDATES 1
#endif

enum { spoilt = -1 };
struct version {
  atomic_int value;
};

static struct version versions[UPDATES + 1];
static _Atomic(struct version *) current = versions;
static atomic_int inside[READERS];

static void *read_it(void *argument) {
  int me = number_of(argument);
  atomic_store(&inside[me], 1);
  struct version *seen = atomic_load(&current);
  assert(atomic_load_explicit(&seen->value, memory_order_relaxed) != spoilt);
  atomic_store(&inside[me], 0);
  return NULL;
}

static void *update(void *argument) {
  (void)argument;
  for (int i = 1; i <= UPDATES; i++) {
    struct version *old = atomic_load(&current);
    atomic_store_explicit(&versions[i].value, i, memory_order_relaxed);
    atomic_store(&current, &versions[i]);
#ifndef NO_GRACE
    for (int k = 0; k < READERS; k++)
      while (atomic_load(&inside[k])) {
      }
#endif
    atomic_store_explicit(&old->value, spoilt, memory_order_relaxed);
  }
  return NULL;
}

int main(void) {
  start(update, 1);
  start(read_it, READERS);
  join_all();
  return 0;
}
