// SPDX-License-Identifier: Apache-2.0
// A timed wait that timed out is taken for a signal. With and without an explicit clock.
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion executions=287
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=734
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion flags=-DCLOCK executions=287
// CHECK: strategy=exhaustive verdict=clean flags="-DCLOCK -DFIXED" executions=734
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <time.h>

#include "two.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int flag;

static int wait_a_while(void) {
  struct timespec soon;
#ifdef CLOCK
  clock_gettime(CLOCK_MONOTONIC, &soon);
  soon.tv_nsec += 1000;
  return pthread_cond_clockwait(&ready, &lock, CLOCK_MONOTONIC, &soon);
#else
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_nsec += 1000;
  return pthread_cond_timedwait(&ready, &lock, &soon);
#endif
}

static void *waiter(void *unused) {
  int result = 0;
  pthread_mutex_lock(&lock);
  if (!flag) result = wait_a_while();
#ifdef FIXED
  assert(flag || result == ETIMEDOUT);
#else
  (void)result;
  assert(flag);
#endif
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
