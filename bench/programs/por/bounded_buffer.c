// SPDX-License-Identifier: Apache-2.0
// A bounded buffer with one mutex and two condition variables: PRODUCERS threads put ITEMS each, CONSUMERS threads take their share.
// ONE_CONDITION: a single condition variable with signal, which can wake the wrong side (lost wake-up).
// classes: -DITEMS=1 sc=2
// classes: -DITEMS=3 sc=32
// classes: -DITEMS=6 sc=2048
// classes: -DPRODUCERS=2 -DCONSUMERS=2 sc=64
// classes: -DPRODUCERS=2 -DCONSUMERS=1 -DITEMS=2 sc=2432
// classes: -DPRODUCERS=2 -DCONSUMERS=2 -DITEMS=2 sc=86336
// bug: -DPRODUCERS=2 -DCONSUMERS=2 -DONE_CONDITION sc=deadlock
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
static pthread_cond_t changed[2];  // Nidhugg wants them initialised by a call
#define not_full changed[0]
#ifdef ONE_CONDITION
#define not_empty changed[0]
#else
#define not_empty changed[1]
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
  for (int i = 0; i < 2; i++) pthread_cond_init(&changed[i], NULL);
  start(produce, PRODUCERS);
  start(consume, CONSUMERS);
  join_all();
  assert(taken == put && used == 0);
  for (int i = 0; i < 2; i++) pthread_cond_destroy(&changed[i]);
  return 0;
}
