// SPDX-License-Identifier: Apache-2.0
// Listing 4.1: dropping the constraint on the first read makes the second one find the same state twice. READS of them.
// verdict: sc=data-race tso=data-race pso=data-race
// runs: optimal=3/3/3 rf=3/3/3 value=3/3/3 mcr-s+=3/3/3 se-mcr=3/3/3
#include "shared.h"

#ifndef READS
#define READS 2
#endif

static shared x;

static void *write_x(void *unused) {
  (void)unused;
  set(x, 1);
  return NULL;
}

static void *read_x(void *unused) {
  (void)unused;
  for (int i = 0; i < READS; i++) {
    int r = get(x);
    (void)r;
  }
  return NULL;
}

int main(void) { return run_both(write_x, read_x); }
