// SPDX-License-Identifier: Apache-2.0
// Two locks in opposite order, with a store in front of one of them that the other thread reads. A lock that is never got waits for the
// store buffer of its thread all the same: it can come earlier only when the store does.
// CHECK: strategy=optimal model=sc races=explore verdict=bugs kinds=deadlock,data-race executions=4
// CHECK: strategy=optimal model=tso races=explore verdict=bugs kinds=deadlock,data-race executions=4
// CHECK: strategy=optimal model=pso races=explore verdict=bugs kinds=deadlock,data-race executions=4
#include <pthread.h>
#include <stddef.h>

static int x, seen;
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *unused) {
  (void)unused;
  pthread_mutex_lock(&second);
  x = 2;
  pthread_mutex_lock(&first);
  pthread_mutex_unlock(&first);
  pthread_mutex_unlock(&second);
  return NULL;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, writer, NULL);
  pthread_mutex_lock(&first);
  seen = x;
  pthread_mutex_lock(&second);
  pthread_mutex_unlock(&second);
  pthread_mutex_unlock(&first);
  pthread_join(other, NULL);
  return 0;
}
