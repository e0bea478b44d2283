// SPDX-License-Identifier: Apache-2.0
// The lock-free queue of Michael and Scott: ENQUEUERS threads add one value each, DEQUEUERS threads take once each (and may find nothing).
// Spins: an iteration that turns out fruitless is given up and counted as blocked, never as an execution.
// classes: -DENQUEUERS=1 -DDEQUEUERS=1 sc=3
// classes: -DENQUEUERS=1 -DDEQUEUERS=2 sc=11
// classes: -DENQUEUERS=2 -DDEQUEUERS=1 sc=26
// classes: -DENQUEUERS=2 -DDEQUEUERS=2 sc=158
// classes: -DENQUEUERS=3 -DDEQUEUERS=1 sc=666
// classes: -DENQUEUERS=3 -DDEQUEUERS=2 sc=4638
// classes: -DENQUEUERS=4 -DDEQUEUERS=1 sc=40824
#include "threads.h"

#ifndef ENQUEUERS
#define ENQUEUERS 1
#endif
#ifndef DEQUEUERS
#define DEQUEUERS 1
#endif

struct node {
  int value;
  _Atomic(struct node *) next;
};

static struct node dummy, nodes[ENQUEUERS];
static _Atomic(struct node *) head = &dummy, tail = &dummy;
static int taken[DEQUEUERS];

static void *enqueue(void *argument) {
  int me = number_of(argument);
  struct node *node = &nodes[me];
  node->value = me + 1;
  for (;;) {
    struct node *last = atomic_load(&tail);
    struct node *next = atomic_load(&last->next);
    if (last != atomic_load(&tail)) continue;
    if (next) {
      atomic_compare_exchange_strong(&tail, &last, next);
    } else if (atomic_compare_exchange_strong(&last->next, &next, node)) {
      atomic_compare_exchange_strong(&tail, &last, node);
      return NULL;
    }
  }
}

static void *dequeue(void *argument) {
  int me = number_of(argument);
  for (;;) {
    struct node *first = atomic_load(&head);
    struct node *last = atomic_load(&tail);
    struct node *next = atomic_load(&first->next);
    if (first != atomic_load(&head)) continue;
    if (!next) return NULL;
    if (first == last) {
      atomic_compare_exchange_strong(&tail, &last, next);
    } else {
      int value = next->value;
      if (atomic_compare_exchange_strong(&head, &first, next)) {
        taken[me] = value;
        return NULL;
      }
    }
  }
}

int main(void) {
  start(enqueue, ENQUEUERS);
  start(dequeue, DEQUEUERS);
  join_all();
  for (int i = 0; i < DEQUEUERS; i++)
    for (int k = 0; k < i; k++) assert(taken[i] == 0 || taken[i] != taken[k]);
  return 0;
}
