/* SPDX-License-Identifier: Apache-2.0 */
/* Binary search trees: pointers, recursion, allocation. */
#include "common.h"
struct node {
  struct node *left, *right;
  uint32_t key;
};

static struct node* insert(struct node* root, uint32_t key) {
  struct node** at = &root;
  while (*at != NULL) {
    if ((*at)->key == key) return root;
    at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  }
  *at = calloc(1, sizeof **at);
  (*at)->key = key;
  return root;
}

static uint64_t sum_of(const struct node* node) { return node == NULL ? 0 : node->key + sum_of(node->left) + sum_of(node->right); }

static void release(struct node* node) {
  if (node == NULL) return;
  release(node->left);
  release(node->right);
  free(node);
}

static uint64_t work(uint64_t seed, int rounds) {
  uint64_t sum = 0;
  for (int round = 0; round < 6 * rounds; ++round) {
    struct node* root = NULL;
    for (int i = 0; i < 40000; ++i) root = insert(root, (uint32_t)next(&seed));
    for (int i = 0; i < 5; ++i) {
      root->key += i;  // or the compiler calls it once
      sum += sum_of(root);
    }
    release(root);
  }
  return sum;
}
