// SPDX-License-Identifier: Apache-2.0
// A loop that waits for an atomic flag, without any annotation. Nobody sets the flag: a livelock.
// CHECK: strategy=exhaustive verdict=bugs kinds=livelock executions=10
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=47
// CHECK: strategy=exhaustive verdict=clean flags="-DFIXED -DYIELD" executions=103
// CHECK: strategy=exhaustive verdict=clean flags="-DFIXED -O2" executions=47
#include <sched.h>
#include <stdatomic.h>

#include "two.h"

static atomic_int flag;

static void *waiter(void *unused) {
  while (!atomic_load(&flag)) {
#ifdef YIELD
    sched_yield();
#endif
  }
  return NULL;
}

static void *setter(void *unused) {
#ifdef FIXED
  atomic_store(&flag, 1);
#endif
  return NULL;
}

int main(void) {
  run_two(waiter, setter);
  return 0;
}
