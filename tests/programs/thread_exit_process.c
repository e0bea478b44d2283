// SPDX-License-Identifier: Apache-2.0
// exit() from a thread while main waits for it: legal, and every handler runs exactly once.
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse message="the program ends while threads are still running" executions=10
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int handlers;
static void at_exit(void) { assert(atomic_fetch_add(&handlers, 1) == 0); }

static void *work(void *unused) { return NULL; }

int main(void) {
  pthread_t worker;
  atexit(at_exit);
  pthread_create(&worker, NULL, work, NULL);
#ifdef FIXED
  pthread_join(worker, NULL);
#else
  pthread_detach(worker);
#endif
  exit(0);
}
