// SPDX-License-Identifier: Apache-2.0
// A semaphore that lets two in.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race executions=251
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=151
#include <semaphore.h>

#include "two.h"

static sem_t gate;
static int shared;

static void *work(void *unused) {
  sem_wait(&gate);
  shared++;
  sem_post(&gate);
  return NULL;
}

int main(void) {
#ifdef FIXED
  sem_init(&gate, 0, 1);
#else
  sem_init(&gate, 0, 2);
#endif
  run_two(work, work);
  sem_destroy(&gate);
  return 0;
}
