// SPDX-License-Identifier: Apache-2.0
// A sequence lock: one writer changes two variables WRITES times, READERS threads read both until they know that they fit together.
// NO_CHECK: the readers do not look at the sequence number again.
#include "threads.h"

#ifndef READERS
#define READERS 1
#endif
#ifndef WRITES
#define WRITES 1
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

static void *read_both(void *argument) {
  (void)argument;
  for (;;) {
    int before = atomic_load(&sequence);
    if (before % 2) continue;
    int first = atomic_load(&a), second = atomic_load(&b);
#ifndef NO_CHECK
    if (atomic_load(&sequence) != before) continue;
#endif
    assert(first == second);
    return NULL;
  }
}

int main(void) {
  start(write_both, 1);
  start(read_both, READERS);
  join_all();
  return 0;
}
