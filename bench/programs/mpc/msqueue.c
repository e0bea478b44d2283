// SPDX-License-Identifier: Apache-2.0
// Table 2, msqueue: Michael and Scott's queue, with nodes from an array, two operations (-DOPERATIONS) of each thread and K attempts at
// each of them. An input says for each thread whether it puts something in or takes something out, and what. What comes out was put in.
// -DBROKEN: a node is linked without looking whether another is there already.
// mpc: -DT=2 -DK=1 -DOPERATIONS=1 : nothing
// mpc: -DT=2 -DK=2 -DOPERATIONS=1 -DBROKEN : assertion
// long-mpc: -DT=2 -DK=5 : nothing
#include "inputs.h"

#ifndef T
#define T 2
#endif
#ifndef K
#define K 5
#endif
#ifndef OPERATIONS
#define OPERATIONS 2
#endif

enum { none = 0 };  // node 1 is the first, which holds nothing

static atomic_int next[T * OPERATIONS + 2], head = 1, tail = 1;
static int held[T * OPERATIONS + 2];
static atomic_int put, taken;

static int replace(atomic_int *where, int expected, int desired) { return atomic_compare_exchange_strong(where, &expected, desired); }

static int enqueue(int node, int value) {
  held[node] = value;
  for (int k = 0; k < K; k++) {
    const int last = atomic_load(&tail), behind = atomic_load(&next[last]);
    if (behind != none) {
      replace(&tail, last, behind);
      continue;
    }
#ifdef BROKEN
    atomic_store(&next[last], node);
#else
    if (!replace(&next[last], none, node)) continue;
#endif
    replace(&tail, last, node);
    return 1;
  }
  return 0;
}

static int dequeue(int *value) {
  for (int k = 0; k < K; k++) {
    const int first = atomic_load(&head), second = atomic_load(&next[first]);
    if (second == none) return 0;
    *value = held[second];
    if (replace(&head, first, second)) return 1;
  }
  return 0;
}

static void *run(void *argument) {
  const int first = number_of(argument) * OPERATIONS + 2;
  const int puts = treadle_input_bool("puts");
  for (int n = 0; n < OPERATIONS; n++) {
    int value = 0;
    if (puts) {
      value = treadle_input_range("value", 1, 9);
      if (enqueue(first + n, value)) atomic_fetch_add(&put, 1);
    } else if (dequeue(&value)) {
      assert(value >= 1 && value <= 9);
      atomic_fetch_add(&taken, 1);
    }
  }
  return NULL;
}

int main(void) {
  for (int t = 0; t < T; t++) start(t, run);
  join_all(T);
  int left = 0, value = 0;
  for (int n = 0; n < T * OPERATIONS; n++) left += dequeue(&value);
  assert(left == atomic_load(&put) - atomic_load(&taken));
  return 0;
}
