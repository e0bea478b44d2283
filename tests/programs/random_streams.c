// SPDX-License-Identifier: Apache-2.0
// What a thread draws depends on the seed and on the thread, not on what others have drawn before it: one outcome, whatever the schedule.
// CHECK: strategy=exhaustive verdict=clean options=--outcomes outcomes="again=1,first=8,second=10" executions=69
#include <stdatomic.h>
#include <stdlib.h>
#include <treadle/treadle.h>

#include "two.h"

static atomic_int step;
static long drawn[2];

static void *first(void *unused) {
  (void)unused;
  drawn[0] = rand();
  ++step;
  drawn[0] ^= lrand48();
  return NULL;
}

static void *second(void *unused) {
  (void)unused;
  drawn[1] = random();
  ++step;
  drawn[1] ^= (long)(drand48() * 1e6);
  return NULL;
}

int main(void) {
  srand(7);
  srand48(7);
  const int mine = rand();
  run_two(first, second);
  srand(7);
  treadle_observe("first", drawn[0] & 0xff);
  treadle_observe("second", drawn[1] & 0xff);
  treadle_observe("again", mine == rand());
  return 0;
}
