// SPDX-License-Identifier: Apache-2.0
// N threads write the same variable; nobody looks before all are done.
#include "threads.h"

#ifndef N
#define N 3
#endif

static atomic_int x;

static void *write_it(void *argument) {
  STORE(x, number_of(argument) + 1);
  return NULL;
}

int main(void) {
  start(write_it, N);
  join_all();
  int last = LOAD(x);
  assert(1 <= last && last <= N);
  return 0;
}
