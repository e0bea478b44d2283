// SPDX-License-Identifier: Apache-2.0
// trylock and its timed relatives may fail; the buggy twin goes on as if it held the lock.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race,misuse flags=-DTRY executions=211
// CHECK: strategy=exhaustive verdict=clean flags="-DTRY -DFIXED" executions=175
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race,misuse flags=-DTIMED executions=211
// CHECK: strategy=exhaustive verdict=clean flags="-DTIMED -DFIXED" executions=175
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race,misuse flags=-DCLOCK executions=211
// CHECK: strategy=exhaustive verdict=clean flags="-DCLOCK -DFIXED" executions=175
#define _GNU_SOURCE
#include <time.h>

#include "two.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static int take(void) {
  struct timespec soon;
#if defined(TRY)
  (void)soon;
  return pthread_mutex_trylock(&lock);
#elif defined(TIMED)
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_sec += 1;
  return pthread_mutex_timedlock(&lock, &soon);
#else
  clock_gettime(CLOCK_MONOTONIC, &soon);
  soon.tv_sec += 1;
  return pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &soon);
#endif
}

static void *patient(void *unused) {
  pthread_mutex_lock(&lock);
  shared++;
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void *hasty(void *unused) {
  int refused = take();
#ifdef FIXED
  if (refused) return NULL;
#endif
  (void)refused;
  shared++;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  run_two(patient, hasty);
  return 0;
}
