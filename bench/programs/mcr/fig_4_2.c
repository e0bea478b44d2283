// SPDX-License-Identifier: Apache-2.0
// Fig. 4.2: four ways in which whether y is read depends on what x was. -DCASE=1: directly; 2: through a local variable; 3: through the
// result of a function; 4: because a function may not return. -DCASE=0: not at all.
// verdict: -DCASE=4 sc=data-race tso=data-race pso=data-race
// runs: -DCASE=0 optimal=4/4/4 rf=4/4/4 value=4/4/4 mcr-s+=4/4/4 se-mcr=4/4/4
// runs: -DCASE=1 optimal=3/3/3 rf=3/3/3 value=3/3/3 mcr-s+=3/3/3 se-mcr=3/3/3
// runs: -DCASE=2 optimal=3/3/3 rf=3/3/3 value=3/3/3 mcr-s+=3/3/3 se-mcr=3/3/3
// runs: -DCASE=3 optimal=3/3/3 rf=3/3/3 value=3/3/3 mcr-s+=3/3/3 se-mcr=3/3/3
// runs: -DCASE=4 optimal=3/3/3 rf=3/3/3 value=3/3/3 mcr-s+=3/3/3 se-mcr=3/3/3
#include "shared.h"

#ifndef CASE
#define CASE 1
#endif

static shared x, y;

#if CASE == 3
static __attribute__((noinline)) int function(void) { return get(x); }
#elif CASE == 4
static __attribute__((noinline)) void function(void) {
  if (get(x) == 1) pthread_exit(NULL);
}
#endif

static void *reader(void *unused) {
  (void)unused;
#if CASE == 0
  int first = get(x);
  (void)first;
#elif CASE == 1
  if (get(x) != 1) return NULL;
#elif CASE == 2
  int a = get(x);
  if (a != 1) return NULL;
#elif CASE == 3
  int b = function();
  if (b != 1) return NULL;
#else
  function();
#endif
  int r = get(y);
  (void)r;
  return NULL;
}

static void *writer(void *unused) {
  (void)unused;
  set(x, 1);
  set(y, 1);
  return NULL;
}

int main(void) { return run_both(writer, reader); }
