// SPDX-License-Identifier: Apache-2.0
// A sleep orders nothing: the other thread may still be slower.
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion executions=10
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int ready;

static void *work(void *unused) {
  ready = 1;
  return NULL;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
#ifdef FIXED
  pthread_join(worker, NULL);
  assert(ready);
#else
  sleep(10);
  assert(ready);
  pthread_join(worker, NULL);
#endif
  return 0;
}
