// SPDX-License-Identifier: Apache-2.0
// Treiber's lock-free stack: PUSHERS threads push one value each, POPPERS threads pop once each (and may find nothing).
// classes: -DPUSHERS=2 -DPOPPERS=1 sc=20
// classes: -DPUSHERS=2 -DPOPPERS=2 sc=164
// classes: -DPUSHERS=3 -DPOPPERS=1 sc=600
// classes: -DPUSHERS=3 -DPOPPERS=2 sc=12960
#include "threads.h"

#ifndef PUSHERS
#define PUSHERS 2
#endif
#ifndef POPPERS
#define POPPERS 1
#endif

struct node {
  int value;
  struct node *next;
};

static struct node nodes[PUSHERS];
static _Atomic(struct node *) top;
static int popped[POPPERS];

static void *push(void *argument) {
  int me = number_of(argument);
  struct node *node = &nodes[me];
  node->value = me + 1;
  struct node *seen = atomic_load(&top);
  do node->next = seen;
  while (!atomic_compare_exchange_strong(&top, &seen, node));
  return NULL;
}

static void *pop(void *argument) {
  struct node *seen = atomic_load(&top);
  while (seen && !atomic_compare_exchange_strong(&top, &seen, seen->next)) {
  }
  popped[number_of(argument)] = seen ? seen->value : 0;
  return NULL;
}

int main(void) {
  start(push, PUSHERS);
  start(pop, POPPERS);
  join_all();
  for (int i = 0; i < POPPERS; i++)
    for (int k = 0; k < i; k++) assert(popped[i] == 0 || popped[i] != popped[k]);
  return 0;
}
