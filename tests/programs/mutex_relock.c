// SPDX-License-Identifier: Apache-2.0
// A normal mutex locked twice by the same thread blocks for ever; FIXED makes it recursive.
// CHECK: strategy=exhaustive verdict=bugs kinds=deadlock message="which it holds already" executions=1
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=1
#define _GNU_SOURCE
#include <pthread.h>

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

int main(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  pthread_mutex_unlock(&lock);
  return 0;
}
