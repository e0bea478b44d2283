// SPDX-License-Identifier: Apache-2.0
// Predicting atomicity violations, Fig. 1(b): the second thread waits for a signal that comes behind the region. -DMODIFIED: it does not
// wait.
// predict: --only atomicity : nothing
// predict: --only atomicity --causal-model over : nothing
// predict: -DMODIFIED --only atomicity : atomicity
#include "threads.h"

static int x;

#ifndef MODIFIED
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
#endif

static void *t1(void *unused) {
  (void)unused;
  treadle_atomic_begin();
  x = 1;
  int a = x + 1;
  treadle_atomic_end();
#ifndef MODIFIED
  pthread_cond_signal(&c);
#endif
  return (void *)(intptr_t)a;
}

static void *t2(void *unused) {
  (void)unused;
#ifndef MODIFIED
  pthread_mutex_lock(&mutex);
  pthread_cond_wait(&c, &mutex);
  pthread_mutex_unlock(&mutex);
#endif
  x = 3;
  return NULL;
}

int main(void) {
  start(t2);  // waits first, or the signal is lost
  start(t1);
  join_all();
  return 0;
}
