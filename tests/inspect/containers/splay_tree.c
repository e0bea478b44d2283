// SPDX-License-Identifier: Apache-2.0
// A thread-safe splay tree. Searching moves what it finds to the root, so it takes the lock for writing; the count is read without it.
// FINDS: data-race count read-count "items"
// FIXED: reads under the lock
#include "collection.h"

struct node {
  int key, value;
  struct node *left, *right;
};

struct tree {
  struct collection all;
  struct node *root;
};

/* Top-down splaying (Sleator): the node with this key, or the last one on the way to it, becomes the root. */
static struct node *splay(struct node *root, int key) {
  struct node fresh = {0, 0, NULL, NULL}, *smaller = &fresh, *larger = &fresh;
  if (!root) return NULL;
  for (;;) {
    if (key < root->key) {
      if (root->left && key < root->left->key) {
        struct node *up = root->left;
        root->left = up->right;
        up->right = root;
        root = up;
      }
      if (!root->left) break;
      larger->left = root;
      larger = root;
      root = root->left;
    } else if (key > root->key) {
      if (root->right && key > root->right->key) {
        struct node *up = root->right;
        root->right = up->left;
        up->left = root;
        root = up;
      }
      if (!root->right) break;
      smaller->right = root;
      smaller = root;
      root = root->right;
    } else {
      break;
    }
  }
  smaller->right = root->left;
  larger->left = root->right;
  root->left = fresh.right;
  root->right = fresh.left;
  return root;
}

static void tree_init(struct tree *t) {
  collection_init(&t->all);
  t->root = NULL;
}

static void free_nodes(struct node *n) {
  if (!n) return;
  free_nodes(n->left);
  free_nodes(n->right);
  free(n);
}

static void tree_destroy(struct tree *t) {
  free_nodes(t->root);
  collection_destroy(&t->all);
}

static void add_root(struct tree *t, int key, int value) {
  struct node *n = calloc(1, sizeof *n);
  n->key = key;
  n->value = value;
  if (t->root && key < t->root->key) {
    n->left = t->root->left;
    n->right = t->root;
    t->root->left = NULL;
  } else if (t->root) {
    n->right = t->root->right;
    n->left = t->root;
    t->root->right = NULL;
  }
  t->root = n;
  t->all.items++;  // @count
}

static void tree_insert(struct tree *t, int key, int value) {
  writing(&t->all);
  t->root = splay(t->root, key);
  if (t->root && t->root->key == key)
    t->root->value = value;
  else
    add_root(t, key, value);
  done(&t->all);
}

static int tree_get(struct tree *t, int key, int *value) {
  writing(&t->all);
  t->root = splay(t->root, key);
  int found = t->root && t->root->key == key;
  if (found) *value = t->root->value;
  done(&t->all);
  return found;
}

static int tree_count(struct tree *t) {
#ifdef FIXED
  reading(&t->all);
#endif
  int count = t->all.items;  // @read-count
#ifdef FIXED
  done(&t->all);
#endif
  return count;
}

/* ---- the driver ---- */

static struct tree tree;

static void *user(void *argument) {
  int id = (int)(long)argument, value = -1;
  tree_insert(&tree, id, id * 10);
  assert(tree_get(&tree, id, &value) && value == id * 10);
  int count = tree_count(&tree);
  assert(count >= 2);
  return NULL;
}

int main(void) {
  tree_init(&tree);
  tree_insert(&tree, USERS, 0);
  run_users(user);
  assert(tree_count(&tree) == USERS + 1);
  tree_destroy(&tree);
  return 0;
}
