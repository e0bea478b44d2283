// SPDX-License-Identifier: Apache-2.0
// One thread uses a block that the other gives back. The order is decided by an atomic flag, so no race hides the heap error.
// CHECK: strategy=exhaustive verdict=bugs kinds=use-after-free flags=-DUSE_AFTER_FREE executions=47
// CHECK: strategy=exhaustive verdict=bugs kinds=use-after-free flags=-DDOUBLE_FREE executions=47
// CHECK: strategy=exhaustive verdict=bugs kinds=crash flags=-DOUT_OF_BOUNDS executions=56
// CHECK: strategy=exhaustive verdict=bugs kinds=crash flags=-DINVALID_FREE executions=56
// CHECK: strategy=exhaustive verdict=bugs kinds=leak flags=-DLEAK options=--leaks executions=19
// CHECK: strategy=exhaustive verdict=clean options=--leaks executions=69
#include <stdatomic.h>
#include <stdlib.h>

#include "two.h"

__attribute__((unused)) static atomic_int done;
static int *block;

static void *owner(void *unused) {
#ifndef LEAK
  if (!atomic_exchange(&done, 1)) free(block);
#endif
  return NULL;
}

static void *user(void *unused) {
#if defined(USE_AFTER_FREE)
  if (atomic_load(&done)) block[0] = 1;
#elif defined(DOUBLE_FREE)
  if (atomic_load(&done)) free(block);
#elif defined(OUT_OF_BOUNDS)
  if (!atomic_exchange(&done, 1)) {
    block[4] = 1;
    free(block);
  }
#elif defined(INVALID_FREE)
  if (!atomic_exchange(&done, 1)) free(block + 1);
#elif !defined(LEAK)
  if (!atomic_exchange(&done, 1)) free(block);
#endif
  return NULL;
}

int main(void) {
  block = malloc(4 * sizeof *block);
  run_two(owner, user);
#ifdef LEAK
  block = NULL;
#endif
  return 0;
}
