// SPDX-License-Identifier: Apache-2.0
// Load and store instead of one fetch_add. Small enough to count by hand: see derive.py.
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion executions=251
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=69
// CHECK: strategy=random max=200 verdict=bugs kinds=assertion
// CHECK: strategy=pct max=200 verdict=bugs kinds=assertion
#include <assert.h>
#include <stdatomic.h>

#include "two.h"

static atomic_int counter;

static void *increment(void *unused) {
#ifdef FIXED
  atomic_fetch_add(&counter, 1);
#else
  atomic_store(&counter, atomic_load(&counter) + 1);
#endif
  return NULL;
}

int main(void) {
  run_two(increment, increment);
  assert(atomic_load_explicit(&counter, memory_order_relaxed) == 2);
  return 0;
}
