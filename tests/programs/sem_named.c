// SPDX-License-Identifier: Apache-2.0
// A named semaphore between threads, and sem_clockwait.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race executions=69
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=69
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <semaphore.h>
#include <time.h>

#include "two.h"

static sem_t *full;
static int item;

static void *producer(void *unused) {
  item = 1;
  sem_post(full);
  return NULL;
}

static void *consumer(void *unused) {
  struct timespec soon;
  clock_gettime(CLOCK_MONOTONIC, &soon);
  soon.tv_sec += 1;
  int refused = sem_clockwait(full, CLOCK_MONOTONIC, &soon);
#ifdef FIXED
  if (refused) return NULL;
#endif
  return (void *)(long)(item + refused * 0);
}

int main(void) {
  full = sem_open("/treadle-test-full", O_CREAT, 0600, 0);
  assert(full != SEM_FAILED);
  sem_unlink("/treadle-test-full");
  run_two(producer, consumer);
  sem_close(full);
  return 0;
}
