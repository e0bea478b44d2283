// SPDX-License-Identifier: Apache-2.0
// pthread_exit from deep inside runs the clean-up handlers; without one the lock stays taken.
// CHECK: strategy=exhaustive verdict=bugs kinds=deadlock,misuse executions=1
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=1
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void leave(void) { pthread_exit((void *)42); }
static void release(void *mutex) { pthread_mutex_unlock(mutex); }

static void *work(void *unused) {
  pthread_mutex_lock(&lock);
#ifdef FIXED
  pthread_cleanup_push(release, &lock);
  leave();
  pthread_cleanup_pop(0);
#else
  leave();
#endif
  return NULL;
}

int main(void) {
  pthread_t worker;
  void *result;
  pthread_create(&worker, NULL, work, NULL);
  pthread_join(worker, &result);
  assert(result == (void *)42);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  (void)release;
  return 0;
}
