// SPDX-License-Identifier: Apache-2.0
// `if` around the wait: a spurious wake-up (searched for on request) passes; FIXED loops.
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion options=--spurious-wakeups executions=687
// CHECK: strategy=exhaustive verdict=clean executions=141
// CHECK: strategy=random max=300 verdict=incomplete flags=-DFIXED options=--spurious-wakeups
#include <assert.h>

#include "two.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int flag;

static void *waiter(void *unused) {
  pthread_mutex_lock(&lock);
#ifdef FIXED
  while (!flag) pthread_cond_wait(&ready, &lock);
#else
  if (!flag) pthread_cond_wait(&ready, &lock);
#endif
  assert(flag);
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void *signaller(void *unused) {
  pthread_mutex_lock(&lock);
  flag = 1;
  pthread_mutex_unlock(&lock);
  pthread_cond_signal(&ready);
  return NULL;
}

int main(void) {
  run_two(waiter, signaller);
  return 0;
}
