// SPDX-License-Identifier: Apache-2.0
// Fig. 6: what follows a read is possible whatever the read returns, as long as no branch says otherwise. The one branch is the
// assertion.
// mpc: : assertion paths=2 executions=2
// mpc: -DFIXED : nothing paths=1 executions=1
#include "inputs.h"

static int x;

static void *t1(void *unused) {
  (void)unused;
  int a = x;
#ifdef FIXED
  (void)a;
#else
  assert(a == 0);
#endif
  return NULL;
}

static void *t2(void *unused) {
  (void)unused;
  x = 1;
  return NULL;
}

int main(void) {
  start(0, t1);
  start(1, t2);
  join_all(2);
  return 0;
}
