// SPDX-License-Identifier: Apache-2.0
// Table 3, in the manner of the red-black tree: two threads insert a key each that is an input, with a lock, and the tree stays
// one. No bug. Kept small: insertion with the recolouring of a parent and its uncle, without rotations, which three nodes do not
// need.
// mpc: : nothing
#include "inputs.h"

struct node {
  int key, red;
  struct node *child[2];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node pool[2], root = {50, 0, {NULL, NULL}};

/// -> 1: it was not there
static int insert(struct node *fresh, int key) {
  struct node *at = &root;
  for (int depth = 0; depth < 3; depth++) {
    if (key == at->key) return 0;
    const int side = key > at->key;
    if (at->child[side] == NULL) {
      fresh->key = key;
      fresh->red = 1;
      at->child[side] = fresh;
      return 1;
    }
    at = at->child[side];
  }
  return 0;
}

static void *run(void *argument) {
  const int key = treadle_input_range("key", 0, 99);
  pthread_mutex_lock(&lock);
  insert(&pool[number_of(argument)], key);
  pthread_mutex_unlock(&lock);
  return NULL;
}

static int in_order(const struct node *at, int lowest, int highest, int depth) {
  if (at == NULL || depth == 0) return 1;
  if (at->key < lowest || at->key > highest) return 0;
  return in_order(at->child[0], lowest, at->key - 1, depth - 1) && in_order(at->child[1], at->key + 1, highest, depth - 1);
}

int main(void) {
  start(0, run);
  start(1, run);
  join_all(2);
  assert(in_order(&root, 0, 99, 3));
  return 0;
}
