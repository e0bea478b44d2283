// SPDX-License-Identifier: Apache-2.0
// Fig. 3.1: whether the second read is made depends on what the first one got.
// verdict: sc=data-race tso=data-race pso=data-race
// runs: optimal=3/3/3 rf=3/3/3 value=3/3/3 mcr-s+=3/3/3 se-mcr=3/3/3
#include "shared.h"

static shared x;

static void *p(void *unused) {
  (void)unused;
  if (get(x) == 0) {
    int r = get(x);
    (void)r;
  }
  return NULL;
}

static void *q(void *unused) {
  (void)unused;
  set(x, 1);
  return NULL;
}

int main(void) { return run_both(p, q); }
