// SPDX-License-Identifier: Apache-2.0
// A local whose address goes to another thread is shared; one whose address does not is not.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race executions=1
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=1
#include <pthread.h>
#include <stddef.h>

static void *write_through(void *pointer) {
  *(int *)pointer = 1;
  return NULL;
}

int main(void) {
  pthread_t thread;
  int local = 0;
  pthread_create(&thread, NULL, write_through, &local);
#ifndef FIXED
  local = 2;
#endif
  pthread_join(thread, NULL);
  return local > 2;
}
