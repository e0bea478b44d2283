// SPDX-License-Identifier: Apache-2.0
// N dining philosophers, each eating MEALS times; the last one reaches for the lower fork first. DEADLOCK: all reach for the left one
// first.
// classes: -DN=3 sc=6
// classes: -DN=3 -DMEALS=2 sc=90
// classes: -DN=4 -DMEALS=2 sc=786
// classes: -DN=5 -DMEALS=2 sc=5730
// bug: -DDEADLOCK sc=deadlock
#include "threads.h"

#ifndef N
#define N 3
#endif
#ifndef MEALS
#define MEALS 1
#endif

static pthread_mutex_t forks[N] = {[0 ... N - 1] = PTHREAD_MUTEX_INITIALIZER};
static int meals[N];

static void *dine(void *argument) {
  int me = number_of(argument);
  int first = me, second = (me + 1) % N;
#ifndef DEADLOCK
  if (second < first) {
    first = second;
    second = me;
  }
#endif
  for (int i = 0; i < MEALS; i++) {
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    meals[me]++;
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
  }
  return NULL;
}

int main(void) {
  start(dine, N);
  join_all();
  for (int i = 0; i < N; i++) assert(meals[i] == MEALS);
  return 0;
}
