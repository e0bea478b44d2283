// SPDX-License-Identifier: Apache-2.0
// main leaves with pthread_exit; the program ends when its last thread does, and what was registered for that finds everything done.
// Without FIXED the threads disagree on who writes.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=22298
// CHECK: strategy=optimal verdict=bugs kinds=data-race
// CHECK: strategy=optimal verdict=clean flags=-DFIXED executions=2
// CHECK: strategy=dpor verdict=clean flags=-DFIXED executions=2
// CHECK: strategy=value verdict=clean flags=-DFIXED executions=2
// CHECK: strategy=rf verdict=clean flags=-DFIXED executions=2
// CHECK: strategy=mcr verdict=clean flags=-DFIXED
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done;  // plain: whoever ends the program has waited for all others

static void *work(void *unused) {
#ifdef FIXED
  pthread_mutex_lock(&mutex);
#endif
  ++done;
#ifdef FIXED
  pthread_mutex_unlock(&mutex);
#endif
  return NULL;
}

static void at_exit(void) { assert(done == 2); }

int main(void) {
  pthread_t worker;
  atexit(at_exit);
  for (int i = 0; i < 2; ++i) {
    pthread_create(&worker, NULL, work, NULL);
    pthread_detach(worker);
  }
  pthread_exit(NULL);
}
