// SPDX-License-Identifier: Apache-2.0
// Main waits until a detached thread has done its work, not until it has ended: the program may end while it still runs.
// CHECK: strategy=exhaustive verdict=bugs kinds=misuse message="still running" executions=57
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=24
// CHECK: strategy=mpc verdict=bugs kinds=misuse message="still running" flags=--symbolic
// CHECK: strategy=mpc verdict=clean flags="-DFIXED --symbolic"
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static int is_done;

static void *work(void *unused) {
  pthread_mutex_lock(&lock);
  is_done = 1;
  pthread_cond_signal(&finished);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
#ifndef FIXED
  pthread_detach(thread);
#endif
  pthread_mutex_lock(&lock);
  while (!is_done) pthread_cond_wait(&finished, &lock);
  pthread_mutex_unlock(&lock);
#ifdef FIXED
  pthread_join(thread, NULL);
#endif
  return 0;
}
