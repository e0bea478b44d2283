// SPDX-License-Identifier: Apache-2.0
// A thread-safe AVL tree. Insertion and search take the lock, the two statistics do not.
// FINDS: data-race count read-count "items"
// FINDS: data-race raise read-height "height"
// FIXED: reads them under the lock
#include "collection.h"

struct node {
  int key, value;
  int height; /* of the subtree */
  struct node *left, *right;
};

struct tree {
  struct collection all;
  struct node *root;
  int height; /* of the whole tree, for statistics */
};

static int height_of(const struct node *n) { return n ? n->height : 0; }

static void measure(struct node *n) {
  int left = height_of(n->left), right = height_of(n->right);
  n->height = 1 + (left > right ? left : right);
}

static struct node *rotate_right(struct node *n) {
  struct node *up = n->left;
  n->left = up->right;
  up->right = n;
  measure(n);
  measure(up);
  return up;
}

static struct node *rotate_left(struct node *n) {
  struct node *up = n->right;
  n->right = up->left;
  up->left = n;
  measure(n);
  measure(up);
  return up;
}

static struct node *balance(struct node *n) {
  measure(n);
  int lean = height_of(n->left) - height_of(n->right);
  if (lean > 1) {
    if (height_of(n->left->left) < height_of(n->left->right)) n->left = rotate_left(n->left);
    return rotate_right(n);
  }
  if (lean < -1) {
    if (height_of(n->right->right) < height_of(n->right->left)) n->right = rotate_right(n->right);
    return rotate_left(n);
  }
  return n;
}

static struct node *insert_into(struct node *n, int key, int value, int *added) {
  if (!n) {
    n = calloc(1, sizeof *n);
    n->key = key;
    n->value = value;
    n->height = 1;
    *added = 1;
    return n;
  }
  if (key == n->key)
    n->value = value;
  else if (key < n->key)
    n->left = insert_into(n->left, key, value, added);
  else
    n->right = insert_into(n->right, key, value, added);
  return balance(n);
}

static void tree_init(struct tree *t) {
  collection_init(&t->all);
  t->root = NULL;
  t->height = 0;
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

static void tree_insert(struct tree *t, int key, int value) {
  int added = 0;
  writing(&t->all);
  t->root = insert_into(t->root, key, value, &added);
  if (added) t->all.items++;       // @count
  t->height = height_of(t->root);  // @raise
  done(&t->all);
}

static int tree_get(struct tree *t, int key, int *value) {
  reading(&t->all);
  const struct node *n = t->root;
  while (n && n->key != key) n = key < n->key ? n->left : n->right;
  if (n) *value = n->value;
  done(&t->all);
  return n != NULL;
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

static int tree_height(struct tree *t) {
#ifdef FIXED
  reading(&t->all);
#endif
  int height = t->height;  // @read-height
#ifdef FIXED
  done(&t->all);
#endif
  return height;
}

/* ---- the driver ---- */

static struct tree tree;

static void *user(void *argument) {
  int id = (int)(long)argument, value = -1;
  tree_insert(&tree, id, id * 10);
  assert(tree_get(&tree, id, &value) && value == id * 10);
  int count = tree_count(&tree), height = tree_height(&tree);
  assert(count >= 2 && height >= 2);
  return NULL;
}

int main(void) {
  tree_init(&tree);
  tree_insert(&tree, USERS, 0);
  run_users(user);
  assert(tree_count(&tree) == USERS + 1 && tree_height(&tree) == 2);
  tree_destroy(&tree);
  return 0;
}
