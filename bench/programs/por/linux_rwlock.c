// SPDX-License-Identifier: Apache-2.0
// The counting read-write lock of older Linux kernels, tried TRIES times by each of READERS and WRITERS threads: the counter starts at
// `bias`, a reader takes one from it, a writer all of it, and who finds too little puts it back.
// Classes: for one try (2n)! / 2^n, n = READERS + WRITERS.
// classes: -DREADERS=1 -DWRITERS=1 sc=6
// classes: -DREADERS=2 -DWRITERS=1 sc=90
// classes: -DREADERS=2 -DWRITERS=2 sc=2520
// classes: -DREADERS=2 -DWRITERS=1 -DTRIES=2 sc=34650
// classes: -DREADERS=3 -DWRITERS=2 sc=113400
#include "threads.h"

#ifndef READERS
#define READERS 1
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#ifndef TRIES
#define TRIES 1
#endif

enum { bias = 0x100000 };
static atomic_int room = bias;
static int shared;

static int try_read_lock(void) {
  if (atomic_fetch_sub(&room, 1) > 0) return 1;
  atomic_fetch_add(&room, 1);
  return 0;
}

static int try_write_lock(void) {
  if (atomic_fetch_sub(&room, bias) == bias) return 1;
  atomic_fetch_add(&room, bias);
  return 0;
}

static void *read_it(void *argument) {
  (void)argument;
  for (int i = 0; i < TRIES; i++)
    if (try_read_lock()) {
      int first = shared, again = shared;
      assert(first == again);
      atomic_fetch_add(&room, 1);
    }
  return NULL;
}

static void *write_it(void *argument) {
  (void)argument;
  for (int i = 0; i < TRIES; i++)
    if (try_write_lock()) {
      shared++;
      atomic_fetch_add(&room, bias);
    }
  return NULL;
}

int main(void) {
  start(read_it, READERS);
  start(write_it, WRITERS);
  join_all();
  assert(atomic_load(&room) == bias);
  return 0;
}
