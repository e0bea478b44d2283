// SPDX-License-Identifier: Apache-2.0
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse message="joined or detached twice" executions=1
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=1
#include <pthread.h>
#include <stddef.h>

static void *work(void *unused) { return NULL; }

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  pthread_join(worker, NULL);
#ifndef FIXED
  pthread_join(worker, NULL);
#endif
  return 0;
}
