// SPDX-License-Identifier: Apache-2.0
// A bounded buffer one of whose waits is an `if`: between the signal and waking up, another consumer may have taken the item. -DFIXED: it
// is a `while`.
// predict: : assertion
// predict: -DFIXED : nothing
#include "threads.h"

enum { capacity = 2 };
static int buffer[capacity], count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;

static void *put(void *argument) {
  pthread_mutex_lock(&mutex);
  while (count == capacity) pthread_cond_wait(&not_full, &mutex);
  buffer[count++] = number_of(argument);
  pthread_cond_signal(&not_empty);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void *take(void *unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
#ifdef FIXED
  while (count == 0) pthread_cond_wait(&not_empty, &mutex);
#else
  if (count == 0) pthread_cond_wait(&not_empty, &mutex);
#endif
  assert(count > 0);
  const int item = buffer[--count];
  pthread_cond_signal(&not_full);
  pthread_mutex_unlock(&mutex);
  return (void *)(intptr_t)item;
}

int main(void) {
  start(take);  // waits
  start(put);
  start(take);
  start(put);
  join_all();
  return 0;
}
