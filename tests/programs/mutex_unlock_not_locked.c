// SPDX-License-Identifier: Apache-2.0
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse message="unlocked that nobody holds" executions=1
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=1
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  pthread_mutex_unlock(&lock);
  return 0;
}
