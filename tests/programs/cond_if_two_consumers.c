// SPDX-License-Identifier: Apache-2.0
// Two consumers, one item, `if` instead of `while`: the woken consumer finds that the other took it.
// CHECK: strategy=random max=3000 verdict=bugs kinds=assertion
// CHECK: strategy=pct max=3000 verdict=bugs kinds=assertion
// CHECK: strategy=random max=1000 verdict=incomplete flags=-DFIXED
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int items, closed;

static void *consumer(void *unused) {
  pthread_mutex_lock(&lock);
#ifdef FIXED
  while (items == 0 && !closed) pthread_cond_wait(&not_empty, &lock);
#else
  if (items == 0 && !closed) pthread_cond_wait(&not_empty, &lock);
#endif
  if (!closed || items > 0) {
    assert(items > 0);
    items--;
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, consumer, NULL);
  pthread_create(&b, NULL, consumer, NULL);
  pthread_mutex_lock(&lock);
  items++;
  pthread_cond_signal(&not_empty);
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  closed = 1;
  pthread_cond_broadcast(&not_empty);
  pthread_mutex_unlock(&lock);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
