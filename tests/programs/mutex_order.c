// SPDX-License-Identifier: Apache-2.0
// Two locks taken in opposite orders.
// CHECK: strategy=exhaustive verdict=bugs kinds=deadlock executions=811
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=540
// CHECK: strategy=random max=500 verdict=bugs kinds=deadlock
// CHECK: strategy=pct max=500 verdict=bugs kinds=deadlock
#include "two.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *first, pthread_mutex_t *second) {
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}

static void *forwards(void *unused) {
  both(&a, &b);
  return NULL;
}

static void *backwards(void *unused) {
#ifdef FIXED
  both(&a, &b);
#else
  both(&b, &a);
#endif
  return NULL;
}

int main(void) {
  run_two(forwards, backwards);
  return 0;
}
