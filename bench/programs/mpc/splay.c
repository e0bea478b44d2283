// SPDX-License-Identifier: Apache-2.0
// Table 3, in the manner of the splay tree: two threads look a key up that is an input, with a lock, and what they find becomes the
// root. No bug.
// mpc: : nothing
#include "inputs.h"

struct node {
  int key;
  struct node *left, *right;
};

static struct node a = {10, NULL, NULL}, c = {30, NULL, NULL}, b = {20, &a, &c};
static struct node *root = &b;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/// One rotation: the child that the search goes to becomes the root.
static int look_up(int key) {
  struct node *old = root;
  if (key == old->key) return 1;
  struct node *up = key < old->key ? old->left : old->right;
  if (up == NULL) return 0;
  if (key < old->key) {
    old->left = up->right;
    up->right = old;
  } else {
    old->right = up->left;
    up->left = old;
  }
  root = up;
  return key == up->key;
}

static void *run(void *unused) {
  (void)unused;
  const int key = treadle_input_range("key", 0, 40);
  pthread_mutex_lock(&lock);
  const int found = look_up(key);
  if (found) assert(root->key == key);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  start(0, run);
  start(1, run);
  join_all(2);
  return 0;
}
