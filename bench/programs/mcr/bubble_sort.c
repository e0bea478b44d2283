// SPDX-License-Identifier: Apache-2.0
// BubbleSort: as many threads as there are elements (LENGTH) each make one pass over the array, without a lock: elements get lost. THREADS:
// fewer passes, which need not sort. -DFIXED: with a lock around each pass.
// verdict: -DLENGTH=2 sc=assertion,data-race tso=assertion,data-race pso=assertion,data-race
// verdict: -DLENGTH=2 -DFIXED sc=clean tso=clean pso=clean
// runs: -DLENGTH=2 -DQUIET optimal=18/18/20 rf=18/18/20 value=15/15/17 mcr-s+=15/15/17 se-mcr=15/15/17
// runs: -DTHREADS=2 -DQUIET optimal=32/32/36 rf=25/25/25 value=21/21/21 mcr-s+=21/21/21 se-mcr=21/21/21
// runs: -DQUIET optimal=4740/4740/6756 rf=3528/3528/4656 value=592/592/619 mcr-s+=592/592/619 se-mcr=592/592/619
// runs: -DLENGTH=2 -DTHREADS=4 -DQUIET optimal=131100/131100/258468 value=2143/2143/2219
#include "shared.h"

#ifndef LENGTH
#define LENGTH 3
#endif
#ifndef THREADS
#define THREADS LENGTH
#endif

static const int unsorted[] = {463, 0, 2435, 89, 7, 1};
static shared array[LENGTH];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *pass(void *unused) {
  (void)unused;
#ifdef FIXED
  pthread_mutex_lock(&mutex);
#endif
  for (int i = 0; i + 1 < LENGTH; i++) {
    if (get(array[i]) > get(array[i + 1])) {
      int moved = get(array[i]);
      set(array[i], get(array[i + 1]));
      set(array[i + 1], moved);
    }
  }
#ifdef FIXED
  pthread_mutex_unlock(&mutex);
#endif
  return NULL;
}

int main(void) {
  (void)mutex;
  for (int i = 0; i < LENGTH; i++) set(array[i], unsorted[i]);
  for (int i = 0; i < THREADS; i++) start(pass);
  join_all();
#if THREADS >= LENGTH
  for (int i = 0; i + 1 < LENGTH; i++) claim(get(array[i]) <= get(array[i + 1]));
#endif
  return 0;
}
