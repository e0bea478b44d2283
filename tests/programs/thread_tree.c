// SPDX-License-Identifier: Apache-2.0
// Threads that start threads: names are paths in the spawn tree, whatever the order of creation.
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion executions=12869
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=1
#include <assert.h>
#include <stdatomic.h>

#include "two.h"

static atomic_int last;

static void *leaf(void *value) {
  atomic_store(&last, (int)(long)value);
  return NULL;
}

static void *branch(void *value) {
  pthread_t child;
  pthread_create(&child, NULL, leaf, value);
  pthread_join(child, NULL);
  return NULL;
}

static void *left(void *unused) { return branch((void *)1); }
static void *right(void *unused) { return branch((void *)2); }

int main(void) {
#ifdef FIXED
  pthread_t child;
  pthread_create(&child, NULL, left, NULL);
  pthread_join(child, NULL);
  pthread_create(&child, NULL, right, NULL);
  pthread_join(child, NULL);
#else
  run_two(left, right);
#endif
  assert(last == 2);
  return 0;
}
