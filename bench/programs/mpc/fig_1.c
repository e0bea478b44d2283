// SPDX-License-Identifier: Apache-2.0
// Fig. 1: two inputs, 15 orders for each pair of their values, two paths.
// mpc: : assertion paths=2 executions=2
// mpc-s1: : assertion paths=2 executions=2
#include "inputs.h"

static int x, y;

static void *t1(void *unused) {
  (void)unused;
  int i = treadle_input_int("i");
  x = i;
  x = 2;
  return NULL;
}

static void *t2(void *unused) {
  (void)unused;
  int j = treadle_input_int("j");
  x = j;
  x = 4;
  return NULL;
}

static void *t3(void *unused) {
  (void)unused;
  if (x >= 100)
    assert(!"the error of line 8");
  else
    y = 2;
  return NULL;
}

int main(void) {
  start(0, t1);
  start(1, t2);
  start(2, t3);
  join_all(3);
  return 0;
}
