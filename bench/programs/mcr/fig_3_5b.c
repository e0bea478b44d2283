// SPDX-License-Identifier: Apache-2.0
// Fig. 3.5(b): fails under PSO only.
// verdict: sc=data-race tso=data-race pso=assertion,data-race
// runs: optimal=3/3/4 rf=3/3/4 value=3/3/4 mcr-s+=3/3/4 se-mcr=3/3/4
#include "shared.h"

static shared x, y;

static void *t1(void *unused) {
  (void)unused;
  set(x, 1);
  set(y, 1);
  return NULL;
}

static void *t2(void *unused) {
  (void)unused;
  int a = get(y), b = get(x);
  claim(a == 0 || b == 1);
  return NULL;
}

int main(void) { return run_both(t1, t2); }
