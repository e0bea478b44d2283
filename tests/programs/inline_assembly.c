// SPDX-License-Identifier: Apache-2.0
// Inline assembly is run, not seen: a compiler barrier is harmless, an increment in assembly is one step that the race check misses.
// CHECK: strategy=exhaustive verdict=clean flags=-DBARRIER executions=19
// CHECK: strategy=exhaustive verdict=clean flags=-DOPAQUE executions=19
#include <assert.h>

#include "two.h"

__attribute__((unused)) static int counter;

static void *work(void *unused) {
#ifdef BARRIER
  __asm__ volatile("" ::: "memory");
#else
  __asm__ volatile("lock incl %0" : "+m"(counter));
#endif
  return NULL;
}

int main(void) {
  run_two(work, work);
#ifdef OPAQUE
  assert(counter == 2);
#endif
  return 0;
}
