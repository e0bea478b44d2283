// SPDX-License-Identifier: Apache-2.0
// Two locks in either order. The second thread is asleep for so long that the first is always done. -DFIXED: in one order. -DGATE: in
// either order, but only one thread at a time gets to them.
// predict: : deadlock
// predict: -DFIXED : nothing
// predict: -DGATE : nothing
#include <unistd.h>

#include "threads.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;
static int both;

static void with(pthread_mutex_t *first, pthread_mutex_t *second) {
#ifdef GATE
  pthread_mutex_lock(&gate);
#else
  (void)gate;
#endif
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
  both++;
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
#ifdef GATE
  pthread_mutex_unlock(&gate);
#endif
}

static void *early(void *unused) {
  (void)unused;
  with(&a, &b);
  return NULL;
}

static void *late(void *unused) {
  (void)unused;
  usleep(100000);
#ifdef FIXED
  with(&a, &b);
#else
  with(&b, &a);
#endif
  return NULL;
}

int main(void) {
  start(early);
  start(late);
  join_all();
  return 0;
}
