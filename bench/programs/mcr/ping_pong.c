// SPDX-License-Identifier: Apache-2.0
// PingPong: N threads look at the player, take the ball (the pointer) away and put it back, without a lock: another one may look just then.
// -DFIXED: with a lock. -DQUIET: who finds no player leaves.
// verdict: sc=data-race,null-dereference tso=data-race,null-dereference pso=data-race,null-dereference
// verdict: -DN=3 -DFIXED sc=clean tso=clean pso=clean
// runs: -DN=2 -DQUIET optimal=18/18/18 rf=9/9/9 value=5/5/5 mcr-s+=5/5/5 se-mcr=5/5/5
// runs: -DN=3 -DQUIET optimal=1233/1233/1233 rf=193/193/193 value=19/19/19 mcr-s+=19/19/19 se-mcr=19/19/19
#include "shared.h"

#ifndef N
#define N 2
#endif

struct player {
  int i;
};

static struct player only;
#ifdef ATOMIC
static _Atomic(struct player *) player = &only;
#else
static struct player *player = &only;
#endif
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *play(void *unused) {
  (void)unused;
#ifdef FIXED
  pthread_mutex_lock(&mutex);
#endif
  struct player *seen = get(player);
#ifdef QUIET
  if (!seen) return NULL;
#endif
  volatile int i = seen->i;
  (void)i;
  struct player *ball = get(player);
  set(player, NULL);
  set(player, ball);
#ifdef FIXED
  pthread_mutex_unlock(&mutex);
#endif
  return NULL;
}

int main(void) {
  (void)mutex;
  for (int n = 0; n < N; n++) start(play);
  join_all();
  return 0;
}
