// SPDX-License-Identifier: Apache-2.0
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse message="joins itself" executions=1
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=1
#include <pthread.h>
#include <stddef.h>

int main(void) {
#ifndef FIXED
  pthread_join(pthread_self(), NULL);
#endif
  return 0;
}
