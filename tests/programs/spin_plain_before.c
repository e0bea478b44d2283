// SPDX-License-Identifier: Apache-2.0
// Slots of a queue whose turns are waited for in loops that read something plain before they look: an iteration of them is recognised only
// when it is logged, so the first one must be, and the one behind it when schedules leave it out. (Was called nondeterminism, and then 24
// executions, with iterations in which nothing happened, for the two orders of those who pop.)
// CHECK: strategy=optimal verdict=clean executions=2
// CHECK: strategy=dpor verdict=clean
// CHECK: strategy=value verdict=clean executions=2
// CHECK: strategy=optimal flags=-DSKIP verdict=bugs among=deadlock,livelock
#include <pthread.h>
#include <stdatomic.h>

static atomic_int turn, head, tail;
static int capacity = 1;

static void push(void) {
  int mine = atomic_fetch_add(&head, 1);
  while (mine / capacity * 2 != atomic_load_explicit(&turn, memory_order_acquire)) {
  }
  atomic_store_explicit(&turn, 2 * mine + 1, memory_order_release);
}

static void* push_two(void* unused) {
  push();
#ifndef SKIP
  push();
#endif
  return unused;
}

static void* pop(void* unused) {
  int mine = atomic_fetch_add(&tail, 1);
  while (mine / capacity * 2 + 1 != atomic_load_explicit(&turn, memory_order_acquire)) {
  }
  atomic_store_explicit(&turn, 2 * mine + 2, memory_order_release);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, push_two, NULL);
  pthread_create(&b, NULL, pop, NULL);
  pop(NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
