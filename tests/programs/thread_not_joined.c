// SPDX-License-Identifier: Apache-2.0
// A thread that has certainly ended, but that nobody joined or detached: its stack is never given back.
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse message="neither joined nor detached" executions=6
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=1
#include <pthread.h>
#include <stddef.h>

static void *work(void *unused) { return NULL; }

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
#ifdef FIXED
  pthread_join(worker, NULL);
#endif
  pthread_exit(NULL);
}
