// SPDX-License-Identifier: Apache-2.0
// Fig. 5.6: N independent pairs of a read and a write, the readers first; 2^N states.
// verdict: sc=data-race tso=data-race pso=data-race
// runs: optimal=8/8/8 rf=8/8/8 value=8/8/8 mcr=16/16/16 se-mcr=8/8/8 mcr-s+=8/8/8
// runs: -DN=5 optimal=32/32/32 rf=32/32/32 value=32/32/32 mcr-s+=32/32/32 se-mcr=32/32/32
#include "shared.h"

#ifndef N
#define N 3
#endif

static shared variable[N];

static void *reader(void *argument) {
  int r = get(variable[number_of(argument)]);
  (void)r;
  return NULL;
}

static void *writer(void *argument) {
  set(variable[number_of(argument) - N], 1);
  return NULL;
}

int main(void) {
  for (int i = 0; i < N; i++) start(reader);
  for (int i = 0; i < N; i++) start(writer);
  join_all();
  return 0;
}
