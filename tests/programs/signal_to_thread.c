// SPDX-License-Identifier: Apache-2.0
// A handler that runs in a thread chosen with pthread_kill; the buggy one takes a lock that the interrupted thread may hold.
// CHECK: strategy=exhaustive verdict=bugs kinds=deadlock executions=6
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=6
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int seen;

static void handler(int number) {
#ifdef FIXED
  atomic_fetch_add(&seen, 1);
#else
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
#endif
}

static void *work(void *unused) {
  pthread_mutex_lock(&lock);
  atomic_load(&seen);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t thread;
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&thread, NULL, work, NULL);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
  return 0;
}
