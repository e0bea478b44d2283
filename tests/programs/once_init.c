// SPDX-License-Identifier: Apache-2.0
// Lazy initialisation by hand (a race, and the object is made twice), by double-checked locking without atomics (a race), by pthread_once.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race flags=-DBY_HAND executions=39
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race flags=-DDOUBLE_CHECKED executions=129
// CHECK: strategy=exhaustive verdict=clean executions=139
#include <assert.h>
#include <stdatomic.h>

#include "two.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int made;
static int object, ready;

static void make(void) {
  object = 42;
  ready = 1;
  made++;
}

static void *use(void *unused) {
#if defined(BY_HAND)
  if (!ready) make();
#elif defined(DOUBLE_CHECKED)
  if (!ready) {
    pthread_mutex_lock(&lock);
    if (!ready) make();
    pthread_mutex_unlock(&lock);
  }
#else
  pthread_once(&once, make);
#endif
  assert(object == 42);
  return NULL;
}

int main(void) {
  run_two(use, use);
  (void)lock, (void)once;
#if !defined(BY_HAND)
  assert(made == 1);
#endif
  return 0;
}
