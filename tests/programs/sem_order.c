// SPDX-License-Identifier: Apache-2.0
// Two semaphores taken in opposite orders.
// CHECK: strategy=exhaustive verdict=bugs kinds=deadlock executions=811
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=540
#include <semaphore.h>

#include "two.h"

static sem_t a, b;

static void both(sem_t *first, sem_t *second) {
  sem_wait(first);
  sem_wait(second);
  sem_post(second);
  sem_post(first);
}

static void *forwards(void *unused) {
  both(&a, &b);
  return NULL;
}

static void *backwards(void *unused) {
#ifdef FIXED
  both(&a, &b);
#else
  both(&b, &a);
#endif
  return NULL;
}

int main(void) {
  sem_init(&a, 0, 1);
  sem_init(&b, 0, 1);
  run_two(forwards, backwards);
  sem_destroy(&a);
  sem_destroy(&b);
  return 0;
}
