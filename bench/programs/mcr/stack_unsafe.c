// SPDX-License-Identifier: Apache-2.0
// StackUnsafe: one thread pushes SIZE elements, the other pops up to SIZE of them as soon as there has been one: the flag is never taken
// back. -DSAFE: it looks at the number of elements.
// verdict: -DSIZE=3 sc=assertion tso=assertion pso=assertion
// verdict: -DSIZE=3 -DSAFE sc=clean tso=clean pso=clean
// runs: -DQUIET optimal=252/252/252 rf=252/252/252 value=252/252/252 mcr-s+=252/252/252 se-mcr=252/252/252
#include "shared.h"

#ifndef SIZE
#define SIZE 5
#endif

static shared stack[SIZE], top, flag;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void push(int value) {
  int height = get(top);
  set(stack[height], value);
  set(top, height + 1);
}

static int pop(void) {
  int height = get(top);
  if (height == 0) return -1;
  set(top, height - 1);
  return get(stack[height - 1]);
}

static void *pusher(void *unused) {
  (void)unused;
  for (int i = 0; i < SIZE; i++) {
    pthread_mutex_lock(&mutex);
    push(i % 2);
    set(flag, 1);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void *popper(void *unused) {
  (void)unused;
  for (int i = 0; i < SIZE; i++) {
    pthread_mutex_lock(&mutex);
#ifdef SAFE
    if (get(top) > 0) claim(pop() >= 0);
#else
    if (get(flag)) claim(pop() >= 0);
#endif
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void) { return run_both(pusher, popper); }
