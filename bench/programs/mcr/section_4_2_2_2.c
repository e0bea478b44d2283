// SPDX-License-Identifier: Apache-2.0
// §4.2.2.2: what is written to y depends on what was read from x; forgetting it promises a value that does not come.
// verdict: sc=data-race tso=data-race pso=data-race
// runs: optimal=6/6/6 rf=4/4/4 value=4/4/4 mcr-s+=4/4/4 se-mcr=4/4/4
#include "shared.h"

static shared x, y;

static void *t1(void *unused) {
  (void)unused;
  int r = get(y);
  (void)r;
  return NULL;
}

static void *t2(void *unused) {
  (void)unused;
  set(x, 1);
  set(y, get(x));
  return NULL;
}

static void *t3(void *unused) {
  (void)unused;
  set(x, 2);
  return NULL;
}

int main(void) {
  start(t1);
  start(t2);
  start(t3);
  join_all();
  return 0;
}
