// SPDX-License-Identifier: Apache-2.0
// The work-stealing deque of Chase and Lev: the owner pushes PUSHES values and takes TAKES, THIEVES threads steal once each. LATE_CLAIM:
// the owner claims the last value without racing for it, and it can be had twice.
// classes: -DPUSHES=2 -DTAKES=1 -DTHIEVES=1 sc=7
// classes: -DPUSHES=3 -DTAKES=3 -DTHIEVES=2 sc=804
// classes: -DPUSHES=4 -DTAKES=3 -DTHIEVES=2 sc=1153 tso=1153
// classes: -DPUSHES=3 -DTAKES=2 -DTHIEVES=3 sc=13882
// bug: -DPUSHES=1 -DLATE_CLAIM sc=assertion
#include "threads.h"

#ifndef PUSHES
#define PUSHES 2
#endif
#ifndef TAKES
#define TAKES 1
#endif
#ifndef THIEVES
#define THIEVES 1
#endif

enum { nothing = -1 };
static atomic_int top, bottom, values[PUSHES];

static void push(int value) {
  int end = atomic_load_explicit(&bottom, memory_order_relaxed);
  atomic_store_explicit(&values[end], value, memory_order_relaxed);
  atomic_store_explicit(&bottom, end + 1, memory_order_release);
}

static int take(void) {
  int end = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
  atomic_store(&bottom, end);
  int begin = atomic_load(&top);
  if (begin > end) {
    atomic_store_explicit(&bottom, end + 1, memory_order_relaxed);
    return nothing;
  }
  int value = atomic_load_explicit(&values[end], memory_order_relaxed);
  if (begin == end) {
#ifndef LATE_CLAIM
    if (!atomic_compare_exchange_strong(&top, &begin, begin + 1)) value = nothing;
#endif
    atomic_store_explicit(&bottom, end + 1, memory_order_relaxed);
  }
  return value;
}

static int steal(void) {
  int begin = atomic_load(&top);
  int end = atomic_load(&bottom);
  if (begin >= end) return nothing;
  int value = atomic_load_explicit(&values[begin], memory_order_relaxed);
  return atomic_compare_exchange_strong(&top, &begin, begin + 1) ? value : nothing;
}

static int had[THIEVES + TAKES];

static void *own(void *argument) {
  (void)argument;
  for (int i = 0; i < PUSHES; i++) push(i);
  for (int i = 0; i < TAKES; i++) had[THIEVES + i] = take();
  return NULL;
}

static void *thieve(void *argument) {
  had[number_of(argument)] = steal();
  return NULL;
}

int main(void) {
  start(own, 1);
  start(thieve, THIEVES);
  join_all();
  for (int i = 0; i < THIEVES + TAKES; i++)
    for (int k = 0; k < i; k++) assert(had[i] == nothing || had[i] != had[k]);
  return 0;
}
