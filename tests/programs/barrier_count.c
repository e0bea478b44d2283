// SPDX-License-Identifier: Apache-2.0
// A barrier for three that only two ever reach; exactly one of those who pass is told that it was the last.
// CHECK: strategy=exhaustive verdict=bugs kinds=deadlock executions=10
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=100
#include <assert.h>
#include <stdatomic.h>

#include "two.h"

static pthread_barrier_t barrier;
static atomic_int serial;

static void *arrive(void *unused) {
  if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) serial++;
  return NULL;
}

int main(void) {
#ifdef FIXED
  pthread_barrier_init(&barrier, NULL, 2);
#else
  pthread_barrier_init(&barrier, NULL, 3);
#endif
  run_two(arrive, arrive);
  assert(serial == 1);
  pthread_barrier_destroy(&barrier);
  return 0;
}
