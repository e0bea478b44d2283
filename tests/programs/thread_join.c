// SPDX-License-Identifier: Apache-2.0
// The result is read before the thread that writes it was joined.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race executions=1
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=1
#include <pthread.h>
#include <stddef.h>

static int result;

static void *work(void *unused) {
  result = 42;
  return NULL;
}

int main(void) {
  pthread_t worker;
  int seen = 0;
  pthread_create(&worker, NULL, work, NULL);
#ifndef FIXED
  seen = result;
#endif
  pthread_join(worker, NULL);
#ifdef FIXED
  seen = result;
#endif
  return seen != 42 && seen != 0;
}
