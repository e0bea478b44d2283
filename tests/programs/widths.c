// SPDX-License-Identifier: Apache-2.0
// Accesses of different widths to overlapping bytes race; neighbours do not. Bit-fields share their unit.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race flags="-DLEFT=u.word=1 -DRIGHT=u.bytes[7]=1" executions=19
// CHECK: strategy=exhaustive verdict=clean flags="-DLEFT=u.bytes[3]=1 -DRIGHT=u.bytes[4]=1" executions=19
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race flags="-DLEFT=bits.low=1 -DRIGHT=bits.high=1" executions=19
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race flags="-DLEFT=real=1.0 -DRIGHT=real=2.0" executions=19
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race flags="-DLEFT=wide=1.0L -DRIGHT=wide=2.0L" executions=19
#include "two.h"

static union {
  unsigned long word;
  unsigned char bytes[8];
} u;
static struct {
  unsigned low : 3, high : 5;
} bits;
static double real;
static long double wide;

static void *left(void *unused) {
  LEFT;
  return NULL;
}

static void *right(void *unused) {
  RIGHT;
  return NULL;
}

int main(void) {
  run_two(left, right);
  return u.word == 0 && bits.low + real + wide > 1000;
}
