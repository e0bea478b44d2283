// SPDX-License-Identifier: Apache-2.0
// The signal comes before the wait and is lost; FIXED remembers it in a flag that the mutex protects.
// CHECK: strategy=exhaustive verdict=bugs kinds=lost-wakeup executions=129
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=141
// CHECK: strategy=random max=300 verdict=bugs kinds=lost-wakeup
#include "two.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int flag;

static void *waiter(void *unused) {
  pthread_mutex_lock(&lock);
#ifdef FIXED
  while (!flag)
#endif
    pthread_cond_wait(&ready, &lock);
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void *signaller(void *unused) {
  pthread_mutex_lock(&lock);
  flag = 1;
  pthread_cond_signal(&ready);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  run_two(waiter, signaller);
  return 0;
}
