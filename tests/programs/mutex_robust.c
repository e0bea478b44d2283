// SPDX-License-Identifier: Apache-2.0
// The owner of a robust mutex ends; whoever comes next is told and must make the data consistent. Otherwise the mutex is lost.
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion executions=1
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=1
#include <assert.h>
#include <errno.h>

#include "two.h"

static pthread_mutex_t lock;

static void *dies(void *unused) {
  pthread_mutex_lock(&lock);
  return NULL;
}

static void use(void) {
  int result = pthread_mutex_lock(&lock);
#ifdef FIXED
  if (result == EOWNERDEAD) result = pthread_mutex_consistent(&lock);
#endif
  assert(result == 0 || result == EOWNERDEAD);
  pthread_mutex_unlock(&lock);
}

int main(void) {
  pthread_mutexattr_t robust;
  pthread_t thread;
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lock, &robust);
  pthread_mutexattr_destroy(&robust);
  pthread_create(&thread, NULL, dies, NULL);
  pthread_join(thread, NULL);
  use();
  use();
  pthread_mutex_destroy(&lock);
  return 0;
}
