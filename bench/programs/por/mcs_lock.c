// SPDX-License-Identifier: Apache-2.0
// The queue lock of Mellor-Crummey and Scott: N threads, ROUNDS times each.
// Spins: an iteration that turns out fruitless is given up and counted as blocked, never as an execution.
// classes: -DN=2 sc=6
// classes: -DN=3 sc=66 tso=66
// classes: -DN=4 sc=1080
// classes: -DN=5 sc=23640
#include "threads.h"

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

struct node {
  _Atomic(struct node *) next;
  atomic_int waits;
};

static struct node nodes[N];
static _Atomic(struct node *) tail;
static int counter;

static void lock(struct node *mine) {
  atomic_store_explicit(&mine->next, NULL, memory_order_relaxed);
  atomic_store_explicit(&mine->waits, 1, memory_order_relaxed);
  struct node *before = atomic_exchange(&tail, mine);
  if (!before) return;
  atomic_store_explicit(&before->next, mine, memory_order_release);
  while (atomic_load_explicit(&mine->waits, memory_order_acquire)) {
  }
}

static void unlock(struct node *mine) {
  struct node *after = atomic_load_explicit(&mine->next, memory_order_acquire);
  if (!after) {
    struct node *last = mine;
    if (atomic_compare_exchange_strong(&tail, &last, NULL)) return;
    while (!(after = atomic_load_explicit(&mine->next, memory_order_acquire))) {
    }
  }
  atomic_store_explicit(&after->waits, 0, memory_order_release);
}

static void *work(void *argument) {
  struct node *mine = &nodes[number_of(argument)];
  for (int i = 0; i < ROUNDS; i++) {
    lock(mine);
    counter++;
    unlock(mine);
  }
  return NULL;
}

int main(void) {
  start(work, N);
  join_all();
  assert(counter == N * ROUNDS);
  return 0;
}
