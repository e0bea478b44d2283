// SPDX-License-Identifier: Apache-2.0
// A thread cancelled in a condition wait owns the mutex again when its handlers run: without a handler nobody releases it.
// CHECK: strategy=exhaustive verdict=bugs kinds=deadlock,misuse executions=4
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=4
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void release(void *mutex) { pthread_mutex_unlock(mutex); }

static void *work(void *unused) {
  pthread_mutex_lock(&lock);
#ifdef FIXED
  pthread_cleanup_push(release, &lock);
  for (;;) pthread_cond_wait(&never, &lock);
  pthread_cleanup_pop(0);
#else
  for (;;) pthread_cond_wait(&never, &lock);
#endif
  return NULL;
}

int main(void) {
  pthread_t worker;
  void *result;
  pthread_create(&worker, NULL, work, NULL);
  pthread_cancel(worker);
  pthread_join(worker, &result);
  assert(result == PTHREAD_CANCELED);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  (void)release;
  return 0;
}
