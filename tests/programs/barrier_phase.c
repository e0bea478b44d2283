// SPDX-License-Identifier: Apache-2.0
// Each thread writes its own cell, then reads the other's; the barrier between the phases is missing.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race executions=19
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=100
#include <assert.h>

#include "two.h"

static pthread_barrier_t barrier;
static int cells[2];

static void phases(int me) {
  cells[me] = me + 1;
#ifdef FIXED
  pthread_barrier_wait(&barrier);
  assert(cells[!me] == !me + 1);
#else
  assert(cells[!me] == !me + 1 || cells[!me] == 0);
#endif
}

static void *left(void *unused) {
  phases(0);
  return NULL;
}

static void *right(void *unused) {
  phases(1);
  return NULL;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run_two(left, right);
  pthread_barrier_destroy(&barrier);
  return 0;
}
