// SPDX-License-Identifier: Apache-2.0
// Fig. 3.2: two independent pairs of a write and a read; 4 states. -DFIG_5_3: before its read, s writes x as well (Fig. 5.3).
// -DFIG_5_5: a lock around each of the reads (Fig. 5.5).
// verdict: sc=data-race tso=data-race pso=data-race
// runs: optimal=4/4/4 rf=4/4/4 value=4/4/4 se-mcr=4/4/4 mcr-s+=4/4/4
// runs: -DFIG_5_3 optimal=12/12/12 rf=6/6/6 value=6/6/6 mcr-s+=6/6/6 se-mcr=6/6/6
// runs: -DFIG_5_5 optimal=8/8/8 rf=4/4/4 value=4/4/4 mcr-s+=4/4/4 se-mcr=4/4/4
#include "shared.h"

static shared x, y;
#ifdef FIG_5_5
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&l)
#define UNLOCK() pthread_mutex_unlock(&l)
#else
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif

static void *p(void *unused) {
  (void)unused;
  set(x, 1);
  return NULL;
}

static void *q(void *unused) {
  (void)unused;
  LOCK();
  int r1 = get(x);
  (void)r1;
  UNLOCK();
  return NULL;
}

static void *r(void *unused) {
  (void)unused;
  set(y, 1);
  return NULL;
}

static void *s(void *unused) {
  (void)unused;
#ifdef FIG_5_3
  set(x, 2);
#endif
  LOCK();
  int r2 = get(y);
  (void)r2;
  UNLOCK();
  return NULL;
}

int main(void) {
  start(p);
  start(q);
  start(r);
  start(s);
  join_all();
  return 0;
}
