// SPDX-License-Identifier: Apache-2.0
// A cancellation request waits while cancellation is disabled; FIXED protects the two halves of an update.
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion executions=6
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=5
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int halves;

static void *work(void *unused) {
  int before;
#ifdef FIXED
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
#endif
  atomic_fetch_add(&halves, 1);
  pthread_testcancel();
  atomic_fetch_add(&halves, 1);
#ifdef FIXED
  pthread_setcancelstate(before, NULL);
#else
  (void)before;
#endif
  return NULL;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  pthread_cancel(worker);
  pthread_join(worker, NULL);
  assert(halves % 2 == 0);
  return 0;
}
