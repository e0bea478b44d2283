// SPDX-License-Identifier: Apache-2.0
// A message and then a flag, both atomic. TSO keeps the order of the two stores, PSO does not, unless the flag is released.
// CHECK: strategy=exhaustive model=tso verdict=clean executions=1540
// CHECK: strategy=exhaustive model=pso verdict=bugs kinds=assertion executions=2530
// CHECK: strategy=exhaustive model=pso verdict=clean flags=-DFIXED executions=1540
#include <assert.h>
#include <stdatomic.h>

#include "two.h"

#ifdef FIXED
#define PUBLISH memory_order_release
#else
#define PUBLISH memory_order_relaxed
#endif

static atomic_int message, flag;

static void *writer(void *unused) {
  (void)unused;
  atomic_store_explicit(&message, 42, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, PUBLISH);
  return NULL;
}

static void *reader(void *unused) {
  (void)unused;
  while (!atomic_load_explicit(&flag, memory_order_acquire)) {
  }
  assert(atomic_load_explicit(&message, memory_order_relaxed) == 42);
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  return 0;
}
