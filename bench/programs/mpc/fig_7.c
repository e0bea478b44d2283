// SPDX-License-Identifier: Apache-2.0
// Fig. 7: of the four combinations the one with both branches taken is impossible: each would have to follow what the other did not
// do.
// mpc: : nothing paths=3 executions=3
#include "inputs.h"

static int x, y;

static void *t1(void *unused) {
  (void)unused;
  if (y == 1)
    x = 1;
  else
    x = 2;
  return NULL;
}

static void *t2(void *unused) {
  (void)unused;
  if (x == 2)
    y = 2;
  else
    y = 1;
  return NULL;
}

int main(void) {
  start(0, t1);
  start(1, t2);
  join_all(2);
  treadle_observe("x", x);
  treadle_observe("y", y);
  return 0;
}
