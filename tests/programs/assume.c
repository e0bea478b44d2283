// SPDX-License-Identifier: Apache-2.0
// Executions in which an assumption fails do not count, neither as runs that end well nor as bugs.
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion executions=69
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=69
// CHECK: strategy=exhaustive verdict=incomplete flags=-DNEVER executions=69
#include <assert.h>
#include <treadle/treadle.h>

#include "two.h"

static _Atomic int first_come;

static void *left(void *unused) {
  int expected = 0;
  __c11_atomic_compare_exchange_strong(&first_come, &expected, 1, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return NULL;
}

static void *right(void *unused) {
  int expected = 0;
  __c11_atomic_compare_exchange_strong(&first_come, &expected, 2, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return NULL;
}

int main(void) {
  run_two(left, right);
  int winner = first_come;
#ifdef FIXED
  treadle_assume(winner == 1);
#endif
#ifdef NEVER
  treadle_assume(winner == 3);
#endif
  assert(winner == 1);
  return 0;
}
