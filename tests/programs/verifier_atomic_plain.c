// SPDX-License-Identifier: Apache-2.0
// What atomic sections share is plain, so their order is seen by nothing but their being sections.
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion
// CHECK: strategy=optimal verdict=bugs kinds=assertion
// CHECK: strategy=dpor verdict=bugs kinds=assertion
// CHECK: strategy=value verdict=bugs kinds=assertion
// CHECK: strategy=optimal races=ignore verdict=bugs kinds=assertion
// CHECK: strategy=optimal races=explore verdict=bugs kinds=assertion
// CHECK: strategy=optimal flags=-DFIXED verdict=clean
// CHECK: strategy=value flags=-DFIXED verdict=clean
#include <assert.h>

#include "two.h"

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int x, seen = 1;

static void *set(void *unused) {
  __VERIFIER_atomic_begin();
  x = 1;
  __VERIFIER_atomic_end();
  return NULL;
}

static void *look(void *unused) {
  __VERIFIER_atomic_begin();
  seen = x;
  __VERIFIER_atomic_end();
  return NULL;
}

int main(void) {
  run_two(set, look);
#ifndef FIXED
  assert(seen == 1);
#endif
  return 0;
}
