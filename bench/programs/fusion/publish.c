// SPDX-License-Identifier: Apache-2.0
// The flag that says that the value is there is set before the value. -DFIXED: after it. -DRELAXED: but memory may have it otherwise.
// predict: : assertion
// predict: -DFIXED : nothing
// predict: -DFIXED --model pso : nothing
// predict: -DFIXED -DRELAXED : nothing
// predict: -DFIXED -DRELAXED --model tso : nothing
// predict: -DFIXED -DRELAXED --model pso : assertion
#include "threads.h"

#ifdef RELAXED
#define released memory_order_relaxed
#else
#define released memory_order_release
#endif

static atomic_int value, is_there;

static void *publish(void *unused) {
  (void)unused;
#ifdef FIXED
  atomic_store_explicit(&value, 42, memory_order_relaxed);
  atomic_store_explicit(&is_there, 1, released);
#else
  atomic_store_explicit(&is_there, 1, released);
  atomic_store_explicit(&value, 42, memory_order_relaxed);
#endif
  return NULL;
}

static void *use(void *unused) {
  (void)unused;
  if (atomic_load_explicit(&is_there, memory_order_acquire)) assert(atomic_load_explicit(&value, memory_order_relaxed) == 42);
  return NULL;
}

int main(void) {
  atomic_store(&value, 0);  // under PSO no event says what a buffered store overwrites
  start(publish);
  start(use);
  join_all();
  return 0;
}
