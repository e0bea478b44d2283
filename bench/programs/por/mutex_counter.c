// SPDX-License-Identifier: Apache-2.0
// N threads add one to a counter under a mutex, ROUNDS times each. OPPOSITE: under two mutexes, taken in opposite orders (deadlock).
// Classes: (N * ROUNDS)! / ROUNDS!^N.
// classes: -DN=2 sc=2
// classes: -DN=3 -DROUNDS=2 sc=90
// classes: -DN=3 -DROUNDS=3 sc=1680
// classes: -DN=3 -DROUNDS=4 sc=34650
// classes: -DN=3 -DROUNDS=5 sc=756756
// bug: -DOPPOSITE sc=deadlock
#include "threads.h"

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;
#ifdef OPPOSITE
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
#endif

static void *work(void *argument) {
  int me = number_of(argument);
  (void)me;
  for (int i = 0; i < ROUNDS; i++) {
#ifdef OPPOSITE
    pthread_mutex_lock(me ? &other : &mutex);
    pthread_mutex_lock(me ? &mutex : &other);
    counter++;
    pthread_mutex_unlock(&other);
    pthread_mutex_unlock(&mutex);
#else
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
#endif
  }
  return NULL;
}

int main(void) {
  start(work, N);
  join_all();
  assert(counter == N * ROUNDS);
  return 0;
}
