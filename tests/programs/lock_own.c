// SPDX-License-Identifier: Apache-2.0
// Who asks for a lock that it holds already is told so at once. Nobody else could have had the lock just before that.
// CHECK: strategy=exhaustive verdict=clean flags=-DMUTEX executions=211
// CHECK: strategy=optimal verdict=clean flags=-DMUTEX executions=2
// CHECK: strategy=dpor verdict=clean flags=-DMUTEX executions=2
// CHECK: strategy=exhaustive verdict=clean flags=-DREADER executions=211
// CHECK: strategy=optimal verdict=clean flags=-DREADER executions=2
// CHECK: strategy=dpor verdict=clean flags=-DREADER executions=2
// CHECK: strategy=exhaustive verdict=clean flags=-DWRITER executions=211
// CHECK: strategy=optimal verdict=clean flags=-DWRITER executions=2
// CHECK: strategy=dpor verdict=clean flags=-DWRITER executions=2
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

#include "two.h"

#ifdef MUTEX
static pthread_mutex_t own = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static int take(void) { return pthread_mutex_lock(&own); }
static int take_again(void) { return pthread_mutex_lock(&own); }
static void leave(void) { pthread_mutex_unlock(&own); }
#else
static pthread_rwlock_t own = PTHREAD_RWLOCK_INITIALIZER;
static int take(void) { return pthread_rwlock_wrlock(&own); }
#ifdef READER
static int take_again(void) { return pthread_rwlock_rdlock(&own); }
#else
static int take_again(void) { return pthread_rwlock_wrlock(&own); }
#endif
static void leave(void) { pthread_rwlock_unlock(&own); }
#endif

static void *twice(void *unused) {
  assert(take() == 0);
  assert(take_again() == EDEADLK);
  leave();
  return NULL;
}

static void *once(void *unused) {
  assert(take() == 0);
  leave();
  return NULL;
}

int main(void) {
  run_two(twice, once);
  return 0;
}
