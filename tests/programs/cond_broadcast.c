// SPDX-License-Identifier: Apache-2.0
// One signal for two waiters leaves one behind.
// CHECK: strategy=random max=500 verdict=bugs kinds=deadlock message="everybody waits"
// CHECK: strategy=pct max=500 verdict=bugs kinds=deadlock message="everybody waits"
// CHECK: strategy=random max=500 verdict=incomplete flags=-DFIXED
#include "two.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int flag;

static void *waiter(void *unused) {
  pthread_mutex_lock(&lock);
  while (!flag) pthread_cond_wait(&ready, &lock);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, waiter, NULL);
  pthread_create(&b, NULL, waiter, NULL);
  pthread_mutex_lock(&lock);
  flag = 1;
#ifdef FIXED
  pthread_cond_broadcast(&ready);
#else
  pthread_cond_signal(&ready);
#endif
  pthread_mutex_unlock(&lock);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
