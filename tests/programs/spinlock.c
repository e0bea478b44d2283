// SPDX-License-Identifier: Apache-2.0
// pthread spin locks: a race without, a deadlock in opposite orders.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race flags=-DNO_LOCK executions=19
// CHECK: strategy=exhaustive verdict=bugs kinds=deadlock flags=-DOPPOSITE executions=811
// CHECK: strategy=exhaustive verdict=clean executions=540
#include "two.h"

static pthread_spinlock_t a, b;
static int shared;

static void both(pthread_spinlock_t *first, pthread_spinlock_t *second) {
#ifndef NO_LOCK
  pthread_spin_lock(first);
  pthread_spin_lock(second);
#endif
  shared++;
#ifndef NO_LOCK
  pthread_spin_unlock(second);
  pthread_spin_unlock(first);
#endif
}

static void *forwards(void *unused) {
  both(&a, &b);
  return NULL;
}

static void *backwards(void *unused) {
#ifdef OPPOSITE
  both(&b, &a);
#else
  both(&a, &b);
#endif
  return NULL;
}

int main(void) {
  pthread_spin_init(&a, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_init(&b, PTHREAD_PROCESS_PRIVATE);
  run_two(forwards, backwards);
  pthread_spin_destroy(&a);
  pthread_spin_destroy(&b);
  return 0;
}
