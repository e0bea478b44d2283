// SPDX-License-Identifier: Apache-2.0
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse message="unlocked by a thread that does not hold it" executions=1
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=1
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *helper(void *unused) {
#ifndef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_mutex_lock(&lock);
  pthread_create(&thread, NULL, helper, NULL);
  pthread_join(thread, NULL);
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return 0;
}
