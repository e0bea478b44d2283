// SPDX-License-Identifier: Apache-2.0
// Two readers that both want to become the writer wait for each other; FIXED lets go first.
// CHECK: strategy=exhaustive verdict=bugs kinds=deadlock executions=21
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=441
// CHECK: strategy=optimal verdict=bugs kinds=deadlock
// CHECK: strategy=dpor verdict=bugs kinds=deadlock
// CHECK: strategy=value verdict=bugs kinds=deadlock
// CHECK: strategy=optimal verdict=clean flags=-DFIXED
#include <errno.h>

#include "two.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *other(void *unused) {
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  return NULL;
}

static void *upgrade(void *unused) {
  pthread_rwlock_rdlock(&lock);
#ifdef FIXED
  pthread_rwlock_unlock(&lock);
#endif
  pthread_rwlock_wrlock(&lock);
  pthread_rwlock_unlock(&lock);
#ifndef FIXED
  pthread_rwlock_unlock(&lock);
#endif
  return NULL;
}

int main(void) {
  run_two(upgrade, other);
  return 0;
}
