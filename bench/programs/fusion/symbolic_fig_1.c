// SPDX-License-Identifier: Apache-2.0
// Symbolic predictive analysis, Fig. 1: the order that fails needs x > b only, and not the value that x had. -DMODIFIED: the example of
// section 6, in which x has the same value either way.
// predict: --only assertion : assertion
// predict: --only assertion --causal-model maximal : nothing
// predict: --only assertion --context-bound 1 : nothing
// predict: --only assertion --context-bound 2 : assertion
// predict: -DMODIFIED --only assertion : assertion
// predict: -DMODIFIED --only assertion --causal-model maximal : assertion
#include "threads.h"

static int x, y;
static sem_t l;

static void *t1(void *unused) {
  (void)unused;
  int a = x;
  sem_wait(&l);
#ifdef MODIFIED
  x = 1 + a;
#else
  x = 2 + a;
#endif
  sem_post(&l);
  y = 1 + a;
  sem_wait(&l);
  x = 1 + a;
  sem_post(&l);
  return NULL;
}

static void *t2(void *unused) {
  (void)unused;
  int b = 0;
  sem_wait(&l);
  if (x > b) assert(y == 1);
  sem_post(&l);
  return NULL;
}

int main(void) {
  sem_init(&l, 0, 1);
  start(t1);
  start(t2);
  join_all();
  sem_destroy(&l);
  return 0;
}
