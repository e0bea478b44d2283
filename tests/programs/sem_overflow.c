// SPDX-License-Identifier: Apache-2.0
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse message="posted beyond its maximum" executions=1
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=1
#include <limits.h>
#include <semaphore.h>

int main(void) {
  sem_t semaphore;
#ifdef FIXED
  sem_init(&semaphore, 0, SEM_VALUE_MAX - 1);
#else
  sem_init(&semaphore, 0, SEM_VALUE_MAX);
#endif
  sem_post(&semaphore);
  sem_destroy(&semaphore);
  return 0;
}
