// SPDX-License-Identifier: Apache-2.0
// A sequence lock: one writer changes two variables WRITES times, READERS threads try TRIES times to read both. RETRY: they do so until
// they know that both fit together. NO_CHECK: they do not look at the sequence number again.
// Classes: c^READERS, since readers only read.
// Spins: an iteration that turns out fruitless is given up and counted as blocked, never as an execution.
// classes: -DREADERS=1 -DWRITES=1 sc=11
// classes: -DREADERS=2 -DWRITES=1 sc=121
// classes: -DREADERS=2 -DWRITES=2 sc=1369 tso=1369
// classes: -DREADERS=2 -DWRITES=2 -DTRIES=2 sc=21025
// classes: -DREADERS=3 -DWRITES=2 sc=50653 tso=50653
// classes: -DREADERS=2 -DWRITES=1 -DRETRY sc=4
// bug: -DNO_CHECK sc=assertion
#include "threads.h"

#ifndef READERS
#define READERS 1
#endif
#ifndef WRITES
#define WRITES 1
#endif
#ifndef TRIES
#define TRIES 1
#endif

static atomic_int sequence, a, b;

static void *write_both(void *argument) {
  (void)argument;
  for (int i = 1; i <= WRITES; i++) {
    atomic_store(&sequence, 2 * i - 1);
    atomic_store(&a, i);
    atomic_store(&b, i);
    atomic_store(&sequence, 2 * i);
  }
  return NULL;
}

static int read_both_once(void) {
  int before = atomic_load(&sequence);
  if (before % 2) return 0;
  int first = atomic_load(&a), second = atomic_load(&b);
#ifndef NO_CHECK
  if (atomic_load(&sequence) != before) return 0;
#endif
  assert(first == second);
  return 1;
}

static void *read_both(void *argument) {
  (void)argument;
#ifdef RETRY
  while (!read_both_once()) {
  }
#else
  for (int i = 0; i < TRIES && !read_both_once(); i++) {
  }
#endif
  return NULL;
}

int main(void) {
  start(write_both, 1);
  start(read_both, READERS);
  join_all();
  return 0;
}
