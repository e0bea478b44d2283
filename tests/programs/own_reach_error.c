// SPDX-License-Identifier: Apache-2.0
// A program's own definition of reach_error wins.
// CHECK: strategy=exhaustive verdict=clean executions=69
#include "two.h"

static _Atomic int called;
void reach_error(void) { called++; }

static void *call(void *unused) {
  reach_error();
  return NULL;
}

int main(void) {
  run_two(call, call);
  return called != 2;
}
