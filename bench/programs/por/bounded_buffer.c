// SPDX-License-Identifier: Apache-2.0
// A bounded buffer with one mutex and two condition variables: PRODUCERS threads put ITEMS each, CONSUMERS threads take their share.
// ONE_CONDITION: a single condition variable with signal, which can wake the wrong side (lost wake-up).
#include "threads.h"

#ifndef PRODUCERS
#define PRODUCERS 1
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
#ifndef CAPACITY
#define CAPACITY 1
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
#ifdef ONE_CONDITION
#define not_empty not_full
#else
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
#endif
static int used, put, taken;

static void *produce(void *argument) {
  (void)argument;
  for (int i = 0; i < ITEMS; i++) {
    pthread_mutex_lock(&mutex);
    while (used == CAPACITY) pthread_cond_wait(&not_full, &mutex);
    used++;
    put++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void *consume(void *argument) {
  (void)argument;
  for (int i = 0; i < PRODUCERS * ITEMS / CONSUMERS; i++) {
    pthread_mutex_lock(&mutex);
    while (used == 0) pthread_cond_wait(&not_empty, &mutex);
    used--;
    taken++;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void) {
  start(produce, PRODUCERS);
  start(consume, CONSUMERS);
  join_all();
  assert(taken == put && used == 0);
  return 0;
}
