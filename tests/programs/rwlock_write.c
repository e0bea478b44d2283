// SPDX-License-Identifier: Apache-2.0
// A writer under the reader's lock.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race executions=251
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=151
#include "two.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int shared;

static void *reader(void *unused) {
  pthread_rwlock_rdlock(&lock);
  int seen = shared;
  pthread_rwlock_unlock(&lock);
  return (void *)(long)seen;
}

static void *writer(void *unused) {
#ifdef FIXED
  pthread_rwlock_wrlock(&lock);
#else
  pthread_rwlock_rdlock(&lock);
#endif
  shared++;
  pthread_rwlock_unlock(&lock);
  return NULL;
}

int main(void) {
  run_two(reader, writer);
  return 0;
}
