// SPDX-License-Identifier: Apache-2.0
// A message handed over through a flag. Relaxed order and a missing fence are races, although x86 would hide them.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race flags="-DWRITE=relaxed -DREAD=relaxed" executions=69
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race flags="-DWRITE=release -DREAD=relaxed" executions=69
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race flags="-DWRITE=relaxed -DREAD=acquire" executions=69
// CHECK: strategy=exhaustive verdict=clean flags="-DWRITE=release -DREAD=acquire" executions=69
// CHECK: strategy=exhaustive verdict=clean flags="-DWRITE=seq_cst -DREAD=seq_cst" executions=69
// CHECK: strategy=exhaustive verdict=clean flags="-DWRITE=relaxed -DREAD=relaxed -DFENCES" executions=170
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race flags="-DWRITE=relaxed -DREAD=relaxed -DONE_FENCE" executions=125
#include <assert.h>
#include <stdatomic.h>

#include "two.h"

#define PASTE(a, b) a##b
#define ORDER(o) PASTE(memory_order_, o)

static atomic_int flag;
static int message;

static void *sender(void *unused) {
  message = 42;
#if defined(FENCES) || defined(ONE_FENCE)
  atomic_thread_fence(memory_order_release);
#endif
  atomic_store_explicit(&flag, 1, ORDER(WRITE));
  return NULL;
}

static void *receiver(void *unused) {
  if (atomic_load_explicit(&flag, ORDER(READ))) {
#if defined(FENCES)
    atomic_thread_fence(memory_order_acquire);
#endif
    assert(message == 42);
  }
  return NULL;
}

int main(void) {
  run_two(sender, receiver);
  return 0;
}
