// SPDX-License-Identifier: Apache-2.0
// bbuf, after the seed's description: a bounded buffer shared by two producers and two consumers. Who waits looks only once (`if`, not
// `while`): between the signal and its waking up another consumer may have taken the item.
// What fails: a consumer takes from an empty buffer. -DFIXED: `while`.
// record: -DDELAY=200 : assertion
// check: --races explore
#include "provoke.h"

#ifndef ITEMS
#define ITEMS 6
#endif

enum { room = 4 };

static int buffer[room];
static int count, in, out;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;

#ifdef FIXED
#define when while
#else
#define when if
#endif

static void put(int item) {
  pthread_mutex_lock(&mutex);
  when(count == room) pthread_cond_wait(&not_full, &mutex);
  assert(count < room);
  buffer[in] = item;
  in = (in + 1) % room;
  count++;
  pthread_cond_signal(&not_empty);
  linger(1);
  pthread_mutex_unlock(&mutex);
}

static int take(void) {
  pthread_mutex_lock(&mutex);
  when(count == 0) pthread_cond_wait(&not_empty, &mutex);
  assert(count > 0);
  const int item = buffer[out];
  out = (out + 1) % room;
  count--;
  pthread_cond_signal(&not_full);
  pthread_mutex_unlock(&mutex);
  return item;
}

static void* produce(void* argument) {
  for (int i = 0; i < ITEMS; i++) {
    put(10 * number_of(argument) + i);
    linger(1);
  }
  return NULL;
}

static void* consume(void* argument) {
  int sum = 0;
  for (int i = 0; i < ITEMS; i++) sum += take();
  *(int*)argument = sum;
  return NULL;
}

int main(void) {
  start(produce);
  start(consume);
  start(produce);
  start(consume);
  join_all();
  printf("%d\n", numbers[1] + numbers[3]);
  return 0;
}
