// SPDX-License-Identifier: Apache-2.0
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse message="a thread ends while it holds a lock" executions=1
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=1
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
  pthread_mutex_lock(&lock);
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return NULL;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  pthread_join(worker, NULL);
  return 0;
}
