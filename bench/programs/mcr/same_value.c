// SPDX-License-Identifier: Apache-2.0
// Same value: N threads write the same to a variable and read it again. There is one combination of values, whatever the order.
// verdict: sc=data-race tso=data-race pso=data-race
// runs: optimal=36/36/36 rf=24/24/24 value=1/1/1 mcr-s+=1/1/1 se-mcr=1/1/1
#include "shared.h"

#ifndef N
#define N 3
#endif

static shared x;

static void *write_and_read(void *unused) {
  (void)unused;
  set(x, 7);
  claim(get(x) == 7);
  return NULL;
}

int main(void) {
  for (int i = 0; i < N; i++) start(write_and_read);
  join_all();
  claim(get(x) == 7);
  return 0;
}
