// SPDX-License-Identifier: Apache-2.0
// A recursive mutex is free only after as many unlocks as locks.
// CHECK: strategy=exhaustive verdict=bugs kinds=deadlock,misuse executions=34
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=540
#include "two.h"

static pthread_mutex_t lock;

static void *nested(void *unused) {
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&lock, &recursive);
  pthread_mutexattr_destroy(&recursive);
  run_two(nested, nested);
  pthread_mutex_destroy(&lock);
  return 0;
}
