// SPDX-License-Identifier: Apache-2.0
// sem_trywait and sem_timedwait may fail.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race flags=-DTRY executions=69
// CHECK: strategy=exhaustive verdict=clean flags="-DTRY -DFIXED" executions=69
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race flags=-DTIMED executions=69
// CHECK: strategy=exhaustive verdict=clean flags="-DTIMED -DFIXED" executions=69
#include <semaphore.h>
#include <time.h>

#include "two.h"

static sem_t full;
static int item;

static int take(void) {
#ifdef TRY
  return sem_trywait(&full);
#else
  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_sec += 1;
  return sem_timedwait(&full, &soon);
#endif
}

static void *producer(void *unused) {
  item = 1;
  sem_post(&full);
  return NULL;
}

static void *consumer(void *unused) {
  int refused = take();
#ifdef FIXED
  if (refused) return NULL;
#endif
  (void)refused;
  return (void *)(long)item;
}

int main(void) {
  sem_init(&full, 0, 0);
  run_two(producer, consumer);
  sem_destroy(&full);
  return 0;
}
