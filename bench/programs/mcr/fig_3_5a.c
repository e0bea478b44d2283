// SPDX-License-Identifier: Apache-2.0
// Fig. 3.5(a): fails under TSO and PSO only.
// verdict: sc=data-race tso=assertion,data-race pso=assertion,data-race
// runs: optimal=3/4/4 rf=3/4/4 value=3/4/4 mcr-s+=3/4/4 se-mcr=3/4/4
#include "shared.h"

static shared x, y;
static int a, b;

static void *t1(void *unused) {
  (void)unused;
  set(x, 1);
  a = get(y);
  return NULL;
}

static void *t2(void *unused) {
  (void)unused;
  set(y, 1);
  b = get(x);
  return NULL;
}

int main(void) {
  start(t1);
  start(t2);
  join_all();
  claim(a == 1 || b == 1);
  return 0;
}
