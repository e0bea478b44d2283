// SPDX-License-Identifier: Apache-2.0
// A loop that waits through a function which checks what it is given: a failed check, and what is said then, is no effect of an iteration.
// CHECK: strategy=optimal verdict=bugs kinds=data-race flags=-O0
// CHECK: strategy=optimal verdict=clean flags="-O0 -DFIXED"
// CHECK: strategy=optimal verdict=clean flags="-O2 -DFIXED"
#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "two.h"

static atomic_int ready;
static int data;

__attribute__((noinline)) static int is_set(atomic_int *flag) {
  assert(flag != NULL);
  const int value = atomic_load_explicit(flag, memory_order_acquire);
  if (value < 0) {
    fprintf(stderr, "a flag of %d\n", value);
    abort();
  }
  return value;
}

static void *give(void *unused) {
#ifdef FIXED
  data = 1;
#endif
  atomic_store_explicit(&ready, 1, memory_order_release);
#ifndef FIXED
  data = 1;
#endif
  return NULL;
}

static void *take(void *unused) {
  while (!is_set(&ready)) {
  }
  const int seen = data;
  (void)seen;
  return NULL;
}

int main(void) { run_two(give, take); }
