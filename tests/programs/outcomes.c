// SPDX-License-Identifier: Apache-2.0
// Store buffering: under SC at least one thread sees the other's store.
// CHECK: strategy=exhaustive verdict=clean options=--outcomes outcomes="a=0,b=1;a=1,b=0;a=1,b=1" executions=251
// CHECK: strategy=random max=500 verdict=incomplete options=--outcomes outcomes="a=0,b=1;a=1,b=0;a=1,b=1"
// CHECK: strategy=pct max=500 verdict=incomplete options=--outcomes outcomes="a=0,b=1;a=1,b=0;a=1,b=1"
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race races=explore flags=-DPLAIN options=--outcomes outcomes="a=0,b=1;a=1,b=0;a=1,b=1"
// executions=14594
#include <treadle/treadle.h>

#include "two.h"

#ifdef PLAIN
static int x, y;
#else
static _Atomic int x, y;
#endif
static int a, b;

static void *left(void *unused) {
  x = 1;
  a = y;
  return NULL;
}

static void *right(void *unused) {
  y = 1;
  b = x;
  return NULL;
}

int main(void) {
  run_two(left, right);
  treadle_observe("a", a);
  treadle_observe("b", b);
  return 0;
}
