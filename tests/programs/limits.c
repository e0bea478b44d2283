// SPDX-License-Identifier: Apache-2.0
// The missed bugs of docs/limits.md, each with what ought to be found some day. A LIMIT line that holds one day becomes a CHECK line.
// LIMIT: strategy=exhaustive verdict=bugs kinds=data-race flags=-DASSEMBLY
// LIMIT: strategy=exhaustive verdict=bugs kinds=data-race flags=-DLIBRARY_WRITES
// LIMIT: strategy=exhaustive verdict=bugs kinds=assertion flags=-DWEAK_CAS
// LIMIT: strategy=exhaustive verdict=bugs kinds=assertion flags=-DRELAXED
// LIMIT: strategy=exhaustive verdict=bugs kinds=misuse flags=-DZEROED
// LIMIT: strategy=exhaustive verdict=bugs kinds=crash flags=-DFAR_OVERRUN
// LIMIT: strategy=exhaustive verdict=bugs kinds=assertion flags=-DHANDLER
#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "two.h"

#if defined(ASSEMBLY)
// Inline assembly is run, not seen.
static int counter;
static void *left(void *unused) {
  __asm__ volatile("incl %0" : "+m"(counter));
  return NULL;
}
static void *right(void *unused) {
  counter++;
  return NULL;
}

#elif defined(LIBRARY_WRITES)
// What a library function writes to the caller's memory is not seen, except for those that docs/limits.md names.
static int number;
static void *left(void *unused) {
  sscanf("12", "%d", &number);
  return NULL;
}
static void *right(void *unused) {
  number = 3;
  return NULL;
}

#elif defined(WEAK_CAS)
// A weak compare-and-exchange may fail although the value is the expected one; here it never does.
static atomic_int word;
static void *left(void *unused) {
  int expected = 0;
  assert(atomic_compare_exchange_weak(&word, &expected, 1));
  return NULL;
}
static void *right(void *unused) { return NULL; }

#elif defined(RELAXED)
// Store buffering: both may read 0 on any processor of today, but not under SC.
static atomic_int x, y;
static atomic_int seen_x = 1, seen_y = 1;
static void *left(void *unused) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  seen_y = atomic_load_explicit(&y, memory_order_relaxed);
  assert(seen_x || seen_y);
  return NULL;
}
static void *right(void *unused) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  seen_x = atomic_load_explicit(&x, memory_order_relaxed);
  assert(seen_x || seen_y);
  return NULL;
}

#elif defined(ZEROED)
// A mutex in zeroed memory looks like one with a static initialiser.
static void *left(void *unused) {
  pthread_mutex_t *lock = calloc(1, sizeof *lock);
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
  free(lock);
  return NULL;
}
static void *right(void *unused) { return NULL; }

#elif defined(FAR_OVERRUN)
// An index so wrong that it lands in another live block.
static void *left(void *unused) {
  char *first = malloc(64), *second = malloc(64);
  first[second - first] = 1;
  free(first);
  free(second);
  return NULL;
}
static void *right(void *unused) { return NULL; }

#elif defined(HANDLER)
// A handler interrupts only at visible operations, never between two plain accesses.
static int halves;
static volatile sig_atomic_t torn;
static void handler(int number) { torn |= halves % 2; }
static void *left(void *unused) {
  halves++;
  halves++;
  return NULL;
}
#endif

int main(void) {
#ifdef HANDLER
  signal(SIGUSR1, handler);
  pthread_t target;
  pthread_create(&target, NULL, left, NULL);
  pthread_kill(target, SIGUSR1);
  pthread_join(target, NULL);
  assert(!torn);
#else
  run_two(left, right);
#endif
  return 0;
}
