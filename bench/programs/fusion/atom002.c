// SPDX-License-Identifier: Apache-2.0
// Predicting atomicity violations, atom002: the pattern of Apache's cache. Who gives an object back decrements its reference count and
// then looks whether it was the last one, both under the lock but not in one go: two threads may each find nobody left, and both free the
// object. -DA: the second thread waits until the first has given back everything.
// predict: --only atomicity : atomicity triples=96/48/24/24
// predict: -DA --only atomicity : nothing triples=96/48/24/0
// predict: -DA --only atomicity --causal-model over : unconfirmed:atomicity
#include "threads.h"

#ifndef OBJECTS
#define OBJECTS 24
#endif

static struct {
  int references;
  int freed;
} objects[OBJECTS];

static pthread_mutex_t cache = PTHREAD_MUTEX_INITIALIZER;

#ifdef A
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t was_done = PTHREAD_COND_INITIALIZER;
static int done;
#endif

static void decrement(int object) {
  pthread_mutex_lock(&cache);
  objects[object].references--;
  pthread_mutex_unlock(&cache);
}

static int is_unused(int object) {
  pthread_mutex_lock(&cache);
  const int unused = objects[object].references == 0;
  pthread_mutex_unlock(&cache);
  return unused;
}

static void give_back_all(void) {
  for (int i = 0; i < OBJECTS; i++) {
    decrement(i);
    if (is_unused(i)) objects[i].freed++;
  }
}

static void *first(void *unused) {
  (void)unused;
  treadle_atomic_begin();
  give_back_all();
  treadle_atomic_end();
#ifdef A
  pthread_mutex_lock(&mutex);
  done = 1;
  pthread_cond_signal(&was_done);
  pthread_mutex_unlock(&mutex);
#endif
  return NULL;
}

static void *second(void *unused) {
  (void)unused;
#ifdef A
  pthread_mutex_lock(&mutex);
  while (!done) pthread_cond_wait(&was_done, &mutex);
  pthread_mutex_unlock(&mutex);
#endif
  give_back_all();
  return NULL;
}

int main(void) {
  for (int i = 0; i < OBJECTS; i++) objects[i].references = 2;
  start(first);
  start(second);
  join_all();
  return 0;
}
