// SPDX-License-Identifier: Apache-2.0
// One condition variable with two mutexes; a wait without the mutex.
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse flags=-DTWO_MUTEXES message="one condition variable is waited on with two mutexes" executions=12869
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse flags=-DUNLOCKED message="waited on without holding the mutex" executions=1
// CHECK: strategy=exhaustive verdict=clean executions=1
#define _GNU_SOURCE
#include <stdlib.h>
#include <time.h>

#include "two.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;

static void wait_with(pthread_mutex_t *mutex) {
  struct timespec soon = {1, 0};
#ifndef UNLOCKED
  pthread_mutex_lock(mutex);
#endif
  pthread_cond_timedwait(&ready, mutex, &soon);
  pthread_mutex_unlock(mutex);
}

static void *first(void *unused) {
  wait_with(&a);
  return NULL;
}

#ifdef TWO_MUTEXES
static void *second(void *unused) {
  wait_with(&b);
  return NULL;
}
#endif

int main(void) {
#ifdef TWO_MUTEXES
  run_two(first, second);
#else
  first(NULL);
#endif
  (void)b;
  return 0;
}
