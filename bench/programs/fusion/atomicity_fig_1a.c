// SPDX-License-Identifier: Apache-2.0
// Predicting atomicity violations, Fig. 1(a): the second thread writes only what it could not yet have seen the region write. -DMODIFIED:
// it writes in any case.
// predict: --only atomicity : nothing
// predict: --only atomicity --causal-model over : unconfirmed:atomicity
// predict: --only atomicity --causal-model maximal : nothing
// predict: -DMODIFIED --only atomicity : atomicity
// predict: -DMODIFIED --only atomicity --causal-model maximal : nothing
#include "threads.h"

static int x;

static void *t1(void *unused) {
  (void)unused;
  treadle_atomic_begin();
  int a = x;
  x = a + 1;
  treadle_atomic_end();
  return NULL;
}

static void *t2(void *unused) {
  (void)unused;
  int b = x;
#ifdef MODIFIED
  if (b >= 0)
#else
  if (b > 0)
#endif
    x = 5;
  return NULL;
}

int main(void) {
  start(t1);
  start(t2);
  join_all();
  return 0;
}
