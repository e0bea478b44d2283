// SPDX-License-Identifier: Apache-2.0
// Fig. 9: N rounds in which T1 takes back its addition unless T2 adds something meanwhile. The paper's 2^N + 2 paths come out with
// an x++ that is one step and an assertion that does not wait for the threads: it sees something else on every path of T1, and 2N
// with T1 losing each round (all but the last lost, the last lost or about to be). -DJOINED: the assertion waits, and fails on one
// of 2^N paths. -DDIVISIBLE: it waits, and x++ is a read and a write: T2 can save its sum over T1's reset, so that every path can
// fail, and those that lose all rounds must.
// mpc: -DN=1 : assertion paths=4 found-by=2
// mpc: -DN=2 : assertion paths=6 found-by=3
// mpc: -DN=3 : assertion paths=10 found-by=4
// mpc: -DN=4 : assertion paths=18 found-by=6
// mpc: -DN=5 : assertion paths=34 found-by=22
// mpc: -DN=1 -DJOINED : assertion paths=2
// mpc: -DN=2 -DJOINED : assertion paths=4
// mpc: -DN=3 -DJOINED : assertion paths=8
// mpc: -DN=4 -DJOINED : assertion paths=16
// mpc: -DN=1 -DDIVISIBLE : assertion paths=3
// mpc: -DN=2 -DDIVISIBLE : assertion paths=7
// mpc: -DN=3 -DDIVISIBLE : assertion paths=15
#include "inputs.h"

#ifndef N
#define N 1
#endif

static int x;

static void *t1(void *unused) {
  (void)unused;
  for (int i = 0; i < N; i++) {
    int tmp = x;
    tmp = tmp + 1;
    x = tmp;
    if (x == tmp) x = 0;
  }
  return NULL;
}

static void *t2(void *unused) {
  (void)unused;
  for (int i = 0; i < N; i++) {
#ifdef DIVISIBLE
    x++;
#else
    __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);
#endif
  }
  return NULL;
}

int main(void) {
  start(0, t1);
  start(1, t2);
#if defined(JOINED) || defined(DIVISIBLE)
  join_all(2);
  assert(x != 2 * N);
#else
  assert(x != 2 * N);
  join_all(2);
#endif
  return 0;
}
