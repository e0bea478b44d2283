// SPDX-License-Identifier: Apache-2.0
// N threads read what one writes.
#include "threads.h"

#ifndef N
#define N 3
#endif

static atomic_int x;

static void *read_it(void *argument) {
  (void)argument;
  int seen = LOAD(x);
  assert(seen == 0 || seen == 1);
  return NULL;
}

static void *write_it(void *argument) {
  (void)argument;
  STORE(x, 1);
  return NULL;
}

int main(void) {
  start(write_it, 1);
  start(read_it, N);
  join_all();
  return 0;
}
