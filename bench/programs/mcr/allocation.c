// SPDX-License-Identifier: Apache-2.0
// Allocation: two threads take BLOCKS blocks each of a vector of SIZE: finding a free one and marking it are locked, but one by one, so
// that both may take the same. -DFIXED: in one. -DFREES: and give each of them back.
// verdict: sc=assertion tso=assertion pso=assertion
// verdict: -DFIXED sc=clean tso=clean pso=clean
// runs: -DQUIET optimal=70/70/70 rf=30/30/30 value=22/22/22 mcr-s+=22/22/22 se-mcr=22/22/22
#include "shared.h"

#ifndef SIZE
#define SIZE 4
#endif
#ifndef BLOCKS
#define BLOCKS 2
#endif

static shared taken[SIZE];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int first_free(void) {
  for (int i = 0; i < SIZE; i++)
    if (!get(taken[i])) return i;
  return -1;
}

static void *allocate(void *unused) {
  (void)unused;
  for (int n = 0; n < BLOCKS; n++) {
    pthread_mutex_lock(&mutex);
    int i = first_free();
#ifndef FIXED
    pthread_mutex_unlock(&mutex);
    if (i < 0) continue;
    pthread_mutex_lock(&mutex);
#endif
    if (i >= 0) {
      claim(!get(taken[i]));
      set(taken[i], 1);
    }
    pthread_mutex_unlock(&mutex);
#ifdef FREES
    if (i < 0) continue;
    pthread_mutex_lock(&mutex);
    claim(get(taken[i]));
    set(taken[i], 0);
    pthread_mutex_unlock(&mutex);
#endif
  }
  return NULL;
}

int main(void) { return run_both(allocate, allocate); }
