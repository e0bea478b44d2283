// SPDX-License-Identifier: Apache-2.0
// Counter: one thread adds one to a counter MAX times, the other takes it away again, without a lock.
// verdict: -DMAX=2 -DCLAIM_ZERO sc=assertion,data-race tso=assertion,data-race pso=assertion,data-race
// verdict: -DMAX=2 sc=data-race tso=data-race pso=data-race
// runs: -DMAX=2 optimal=34/34/34 rf=26/26/26 value=26/26/26 mcr-s+=26/26/26 se-mcr=26/26/26
// runs: -DMAX=3 optimal=328/328/328 rf=192/192/192 value=192/192/192 mcr-s+=192/192/192 se-mcr=192/192/192
// runs: -DMAX=4 optimal=3334/3334/3334 rf=1500/1500/1500 value=1492/1492/1492
#include "shared.h"

#ifndef MAX
#define MAX 5
#endif

static shared counter;

static void *up(void *unused) {
  (void)unused;
  for (int i = 0; i < MAX; i++) set(counter, get(counter) + 1);
  return NULL;
}

static void *down(void *unused) {
  (void)unused;
  for (int i = 0; i < MAX; i++) set(counter, get(counter) - 1);
  return NULL;
}

int main(void) {
  start(up);
  start(down);
  join_all();
  int left = get(counter);
  claim(-MAX <= left && left <= MAX);
#ifdef CLAIM_ZERO
  claim(left == 0);
#endif
  return 0;
}
