// SPDX-License-Identifier: Apache-2.0
// An error-checking mutex says EDEADLK and EPERM instead of blocking; the buggy twin takes the refusal for success.
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion executions=1
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=1
#include <assert.h>
#include <errno.h>

#include "two.h"

static pthread_mutex_t lock;

int main(void) {
  pthread_mutexattr_t checking;
  pthread_mutexattr_init(&checking);
  pthread_mutexattr_settype(&checking, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&lock, &checking);
  pthread_mutex_lock(&lock);
#ifdef FIXED
  assert(pthread_mutex_lock(&lock) == EDEADLK);
#else
  assert(pthread_mutex_lock(&lock) == 0);
#endif
  assert(pthread_mutex_unlock(&lock) == 0);
  assert(pthread_mutex_unlock(&lock) == EPERM);
  pthread_mutex_destroy(&lock);
  return 0;
}
