// SPDX-License-Identifier: Apache-2.0
// A consumer asks whether the queue has something, and takes it: each is locked, but not both, and somebody else may have taken it by then.
// -DFIXED: in one.
// predict: : assertion
// predict: -DFIXED : nothing
#include "threads.h"

static int items[4], size;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int take(void) {
  assert(size > 0);
  return items[--size];
}

static void *produce(void *argument) {
  pthread_mutex_lock(&mutex);
  items[size++] = number_of(argument);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void *consume(void *unused) {
  (void)unused;
  int item = -1;
  pthread_mutex_lock(&mutex);
  const int has_some = size > 0;
#ifndef FIXED
  pthread_mutex_unlock(&mutex);
  if (!has_some) return NULL;
  pthread_mutex_lock(&mutex);
#endif
  if (has_some) item = take();
  pthread_mutex_unlock(&mutex);
  return (void *)(intptr_t)item;
}

int main(void) {
  start(produce);
  start(consume);
  start(produce);
  start(consume);
  join_all();
  return 0;
}
