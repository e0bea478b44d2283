// SPDX-License-Identifier: Apache-2.0
// RVExample: a well hidden error, three threads with ROUNDS rounds each.
// verdict: sc=assertion,data-race tso=assertion,data-race pso=assertion,data-race
// runs: -DQUIET optimal=1981/2145/5021 rf=600/612/868 value=107/107/137 mcr-s+=107/107/137 se-mcr=107/107/137
#include "shared.h"

#ifndef ROUNDS
#define ROUNDS 2
#endif

static shared x, y;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *t1(void *unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    pthread_mutex_lock(&mutex);
    set(x, 0);
    pthread_mutex_unlock(&mutex);
    if (get(x) > 0) {
      set(y, get(y) + 1);
      set(x, 2);
    }
  }
  return NULL;
}

static void *t2(void *unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    if (get(x) > 1) {
      claim(get(y) != 3);
      set(y, 2);
    }
  }
  return NULL;
}

int main(void) {
  start(t1);
  start(t2);
  for (int i = 0; i < ROUNDS; i++) {
    pthread_mutex_lock(&mutex);
    set(x, 1);
    set(y, 1);
    pthread_mutex_unlock(&mutex);
  }
  join_all();
  return 0;
}
