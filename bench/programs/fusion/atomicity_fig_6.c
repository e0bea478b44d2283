// SPDX-License-Identifier: Apache-2.0
// Predicting atomicity violations, Fig. 6: after the violation the thread goes another way than in the trace, so that only the part of the
// trace up to it can be reordered.
// predict: --only atomicity : atomicity
#include "threads.h"

static int x;

static void *t1(void *unused) {
  (void)unused;
  treadle_atomic_begin();
  x = 0;
  int a = x + 1;
  treadle_atomic_end();
  if (a == 1) x = 2;
  return NULL;
}

static void *t2(void *unused) {
  (void)unused;
  x = 3;
  int b = x;
  return (void *)(intptr_t)b;
}

int main(void) {
  start(t1);
  start(t2);
  join_all();
  return 0;
}
