// SPDX-License-Identifier: Apache-2.0
// Fig. 3.6, the bug of the electron microscope: main publishes ROUNDS new points, a thread looks at the current one LOOKS times. Under PSO
// the pointer can reach memory before the fields; never under SC or TSO.
// verdict: sc=data-race tso=data-race pso=assertion,data-race
// verdict: -DATOMIC sc=clean tso=clean pso=assertion
// runs: -DQUIET optimal=2/2/5 rf=2/2/5 value=2/2/5 mcr-s+=2/2/5 se-mcr=2/2/5
// runs: -DQUIET -DROUNDS=2 -DLOOKS=2 optimal=6/6/43 rf=6/6/43 value=6/6/43 mcr-s+=6/6/43 se-mcr=6/6/43
#include "shared.h"

#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef LOOKS
#define LOOKS 1
#endif

struct point {
  shared x, y;
};

static struct point first = {1, 2};
#ifdef ATOMIC
static _Atomic(struct point *) current = &first;
#else
static struct point *current = &first;
#endif
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void check_point(struct point *p) {
  pthread_mutex_lock(&mutex);  // locked and unlocked for nothing, as in the original
  pthread_mutex_unlock(&mutex);
  claim(get(p->x) + 1 == get(p->y));
}

static void *look(void *unused) {
  (void)unused;
  for (int i = 0; i < LOOKS; i++) check_point(get(current));
  return NULL;
}

int main(void) {
  start(look);
  for (int i = 0; i < ROUNDS; i++) {
    struct point *before = get(current), *next = calloc(1, sizeof *next);
    set(next->x, get(before->x) + 1);
    set(next->y, get(before->y) + 1);
    set(current, next);
  }
  join_all();
  return 0;
}
