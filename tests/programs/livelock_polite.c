// SPDX-License-Identifier: Apache-2.0
// Two threads that give way to each other: some schedules go on for ever, and the bound on steps says so. FIXED orders the locks.
// CHECK: strategy=pct max=200 verdict=incomplete covers="cut off after 200 steps" options="--max-steps 200"
// CHECK: strategy=random max=200 verdict=incomplete flags=-DFIXED options="--max-steps 200"
#include "two.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void polite(pthread_mutex_t *first, pthread_mutex_t *second) {
#ifdef FIXED
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
#else
  pthread_mutex_lock(first);
  while (pthread_mutex_trylock(second) != 0) {
    pthread_mutex_unlock(first);
    pthread_mutex_lock(first);
  }
#endif
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}

static void *forwards(void *unused) {
  polite(&a, &b);
  return NULL;
}

static void *backwards(void *unused) {
#ifdef FIXED
  polite(&a, &b);
#else
  polite(&b, &a);
#endif
  return NULL;
}

int main(void) {
  run_two(forwards, backwards);
  return 0;
}
