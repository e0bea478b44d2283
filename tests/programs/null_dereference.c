// SPDX-License-Identifier: Apache-2.0
// Checked, then read again: in between the other thread has cleared the pointer.
// CHECK: strategy=exhaustive verdict=bugs kinds=null-dereference executions=109
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=69
#include <stdatomic.h>

#include "two.h"

static int value = 1;
static int *_Atomic pointer = &value;

static void *user(void *unused) {
#ifdef FIXED
  int *mine = pointer;
  return (void *)(long)(mine ? *mine : 0);
#else
  return (void *)(long)(pointer ? *pointer : 0);
#endif
}

static void *clearer(void *unused) {
  pointer = NULL;
  return NULL;
}

int main(void) {
  run_two(user, clearer);
  return 0;
}
