// SPDX-License-Identifier: Apache-2.0
// N threads each make an element one more than its left neighbour while one thread looks for the last zero.
#include "threads.h"

#ifndef N
#define N 4
#endif

static atomic_int array[N + 1];

static void *increment(void *argument) {
  int i = number_of(argument);
  STORE(array[i + 1], LOAD(array[i]) + 1);
  return NULL;
}

static void *find_last_zero(void *argument) {
  (void)argument;
  int i = N;
  while (LOAD(array[i]) != 0) i--;
  assert(i >= 0);
  return NULL;
}

int main(void) {
  start(find_last_zero, 1);
  start(increment, N);
  join_all();
  return 0;
}
