// SPDX-License-Identifier: Apache-2.0
// Three philosophers; FIXED: the last one reaches for the lower fork first.
// CHECK: strategy=random max=2000 verdict=bugs kinds=deadlock
// CHECK: strategy=pct max=2000 verdict=bugs kinds=deadlock
// CHECK: strategy=random max=2000 verdict=incomplete flags=-DFIXED
#include <pthread.h>
#include <stddef.h>

enum { PHILOSOPHERS = 3 };
static pthread_mutex_t forks[PHILOSOPHERS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *dine(void *seat) {
  long left = (long)seat, right = (left + 1) % PHILOSOPHERS;
#ifdef FIXED
  if (right < left) {
    long swap = left;
    left = right;
    right = swap;
  }
#endif
  pthread_mutex_lock(&forks[left]);
  pthread_mutex_lock(&forks[right]);
  pthread_mutex_unlock(&forks[right]);
  pthread_mutex_unlock(&forks[left]);
  return NULL;
}

int main(void) {
  pthread_t guests[PHILOSOPHERS];
  for (long i = 0; i < PHILOSOPHERS; i++) pthread_create(&guests[i], NULL, dine, (void *)i);
  for (int i = 0; i < PHILOSOPHERS; i++) pthread_join(guests[i], NULL);
  return 0;
}
