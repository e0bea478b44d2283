// SPDX-License-Identifier: Apache-2.0
// The refusals of the try and timed variants.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race,misuse flags=-DTRY executions=211
// CHECK: strategy=exhaustive verdict=clean flags="-DTRY -DFIXED" executions=175
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race,misuse flags=-DTIMED executions=211
// CHECK: strategy=exhaustive verdict=clean flags="-DTIMED -DFIXED" executions=175
#define _GNU_SOURCE
#include <time.h>

#include "two.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int shared;

static int take_for_writing(void) {
#ifdef TRY
  return pthread_rwlock_trywrlock(&lock);
#else
  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_sec += 1;
  return pthread_rwlock_timedwrlock(&lock, &soon);
#endif
}

static void *reader(void *unused) {
  pthread_rwlock_rdlock(&lock);
  int seen = shared;
  pthread_rwlock_unlock(&lock);
  return (void *)(long)seen;
}

static void *writer(void *unused) {
  int refused = take_for_writing();
#ifdef FIXED
  if (refused) return NULL;
#endif
  (void)refused;
  shared++;
  pthread_rwlock_unlock(&lock);
  return NULL;
}

int main(void) {
  run_two(reader, writer);
  return 0;
}
