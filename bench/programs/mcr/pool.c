// SPDX-License-Identifier: Apache-2.0
// Pool: a thread borrows an object while another makes sure that one is idle: how many are missing is found out and made up for under the
// lock, but not at once, and there may be more objects than allowed. -DFIXED: at once.
// verdict: sc=assertion tso=assertion pso=assertion
// verdict: -DFIXED sc=clean tso=clean pso=clean
// runs: -DQUIET optimal=4/4/4 rf=4/4/4 value=4/4/4 mcr-s+=4/4/4 se-mcr=4/4/4
#include "shared.h"

enum { min_idle = 1, max_active = 2, most_idle = 4 };

static pthread_mutex_t pool = PTHREAD_MUTEX_INITIALIZER, factory = PTHREAD_MUTEX_INITIALIZER;
static shared idle[most_idle], idles, active, made;

static int make_object(void) {
  pthread_mutex_lock(&factory);
  int number = get(made) + 1;
  set(made, number);
  claim(number <= max_active);
  pthread_mutex_unlock(&factory);
  return number;
}

static void *borrow(void *unused) {
  (void)unused;
  int object = 0;
  pthread_mutex_lock(&pool);
  int available = get(idles);
  if (available > 0) {
    object = get(idle[available - 1]);
    set(idles, available - 1);
  }
  set(active, get(active) + 1);
  pthread_mutex_unlock(&pool);
  if (object == 0) make_object();
  return NULL;
}

static int deficit(void) {
  int available = get(idles), room = max_active - get(active) - available;
  if (room < 0) room = 0;
  return min_idle - available < room ? min_idle - available : room;
}

static void *ensure_min_idle(void *unused) {
  (void)unused;
  pthread_mutex_lock(&pool);
  int missing = deficit();
#ifndef FIXED
  pthread_mutex_unlock(&pool);
  pthread_mutex_lock(&pool);
#endif
  for (int i = 0; i < missing; i++) {
    int available = get(idles);
    set(idle[available], make_object());
    set(idles, available + 1);
  }
  pthread_mutex_unlock(&pool);
  return NULL;
}

int main(void) {
  set(active, 1);
  set(made, 1);  // by somebody who has borrowed it
  start(borrow);
  start(ensure_min_idle);
  join_all();
  return 0;
}
