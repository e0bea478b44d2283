// SPDX-License-Identifier: Apache-2.0
// Fig. 8: strategy 1 misses the error, because no run it knows of takes T1 to the write when it asks whether T2 can see it.
// mpc: : assertion paths=4 executions=4
// mpc-s1: : nothing paths=3
#include "inputs.h"

static int x, y;

static void *t1(void *unused) {
  (void)unused;
  int i = treadle_input_int("i");
  int j = treadle_input_int("j");
  if (i > 0)
    y = 1;
  else if (j > 0)
    x = 2;
  return NULL;
}

static void *t2(void *unused) {
  (void)unused;
  if (x == 2) assert(!"the error of line 5");
  return NULL;
}

int main(void) {
  start(0, t1);
  start(1, t2);
  join_all(2);
  return 0;
}
