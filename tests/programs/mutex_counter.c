// SPDX-License-Identifier: Apache-2.0
// Two increments without a lock. As a race it is found in any execution; its wrong outcome needs --races=explore.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race executions=19
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion,data-race races=explore executions=3043
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=151
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED races=explore executions=12283
// CHECK: strategy=random max=200 verdict=incomplete flags=-DFIXED
// CHECK: strategy=pct max=200 verdict=bugs kinds=data-race
#include <assert.h>

#include "two.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *increment(void *unused) {
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  counter++;
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return NULL;
}

int main(void) {
  run_two(increment, increment);
  (void)lock;
  assert(counter == 2);
  return 0;
}
