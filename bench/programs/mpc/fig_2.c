// SPDX-License-Identifier: Apache-2.0
// Fig. 2, and section 4.1's M0…M9 with -DEXTRA=0…9: an error that needs both an input and an order. T2 sees x == 101 only if T1
// adds 1 to T3's 100, which takes i == 3, and sees y == 3 only after all that T1 and T3 can add, which takes j == 2. The figure is
// not readable in every copy of the paper: lines not quoted in its text are ours, and give its table. Without the extra threads T1
// and T3 have 2 × 3 paths while T2 sees something else; T2 sees 101 in 3 of them, and in one y == 3 too. Each extra thread doubles
// the first number alone.
// mpc: : assertion paths=10 executions=10 i=3 j=2
// mpc-s1: : nothing paths=6
// mpc: -DEXTRA=1 : assertion paths=16
// mpc-s1: -DEXTRA=1 : nothing paths=12
// mpc: -DEXTRA=2 : assertion paths=28
// mpc: -DEXTRA=3 : assertion paths=52
// mpc: -DEXTRA=3 --jobs 3 : assertion paths=52 executions=52
// mpc-s1: -DEXTRA=3 : nothing paths=48
// mpc: -DEXTRA=5 : assertion paths=196
// long-mpc: -DEXTRA=7 : assertion paths=772
// long-mpc-s1: -DEXTRA=7 : nothing paths=768
// long-mpc: -DEXTRA=9 : assertion paths=3076
#include "inputs.h"

#ifndef EXTRA
#define EXTRA 0
#endif

static int x, y;
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;

static void *t1(void *unused) {
  (void)unused;
  int i = treadle_input_int("i");
  x = 2;
  if (i == 3) {
    pthread_mutex_lock(&l);
    y++;
    pthread_mutex_unlock(&l);
    x++;
  }
  return NULL;
}

static void *t2(void *unused) {
  (void)unused;
  x = 5;
  if (x == EXTRA + 101) {
    if (y == 3) abort();
  }
  return NULL;
}

static void *t3(void *unused) {
  (void)unused;
  x = 100;
  int j = treadle_input_range("j", 0, 2);
  while (j > 0) {
    pthread_mutex_lock(&l);
    y++;
    pthread_mutex_unlock(&l);
    j--;
  }
  return NULL;
}

static void *extra(void *unused) {
  (void)unused;
  int k = treadle_input_int("k");
  if (k == 10) x++;
  return NULL;
}

int main(void) {
  start(0, t1);
  start(1, t2);
  start(2, t3);
  for (int i = 0; i < EXTRA; i++) start(3 + i, extra);
  join_all(3 + EXTRA);
  return 0;
}
