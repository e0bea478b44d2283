// SPDX-License-Identifier: Apache-2.0
// main returns while a detached thread still works; FIXED leaves with pthread_exit, which lets it finish.
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse message="the program ends while threads are still running" executions=10
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=20
// CHECK: strategy=optimal verdict=clean flags=-DFIXED executions=1
// CHECK: strategy=value verdict=clean flags=-DFIXED executions=1
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int progress;

static void *work(void *unused) {
  atomic_fetch_add(&progress, 1);
  return NULL;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  pthread_detach(worker);
#ifdef FIXED
  pthread_exit(NULL);
#endif
  return 0;
}
