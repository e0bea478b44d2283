// SPDX-License-Identifier: Apache-2.0
// Flags: N workers say that they are ready, all in the same flag; a watcher looks LOOKS times. Whoever was first, the watcher sees some
// zeros and then ones: LOOKS + 1 combinations of values. With seven workers there are 1,663,200 orders.
// verdict: sc=data-race tso=data-race pso=data-race
// runs: optimal=120/120/120 rf=34/34/34 value=4/4/4 mcr-s+=4/4/4 se-mcr=4/4/4
// runs: -DN=7 -DLOOKS=4 -DATOMIC value=5/5/5 mcr-s+=5/5/5 se-mcr=5/5/5
#include "shared.h"

#ifndef N
#define N 3
#endif
#ifndef LOOKS
#define LOOKS 3
#endif

static shared ready;

static void *work(void *unused) {
  (void)unused;
  set(ready, 1);
  return NULL;
}

static void *watch(void *unused) {
  (void)unused;
  int seen = 0;
  for (int i = 0; i < LOOKS; i++) seen += get(ready);
  claim(0 <= seen && seen <= LOOKS);
  return NULL;
}

int main(void) {
  start(watch);
  for (int i = 0; i < N; i++) start(work);
  join_all();
  return 0;
}
