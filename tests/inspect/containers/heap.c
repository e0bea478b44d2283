// SPDX-License-Identifier: Apache-2.0
// A thread-safe binary heap (priority queue). Everything is done under the lock.
// FINDS nothing, and FIXED changes nothing.
#include "collection.h"

struct heap {
  struct collection all;
  int *keys;
  int room;
};

static void heap_init(struct heap *h) {
  collection_init(&h->all);
  h->room = 1;
  h->keys = malloc(sizeof *h->keys);
}

static void heap_destroy(struct heap *h) {
  free(h->keys);
  collection_destroy(&h->all);
}

static void swap(int *a, int *b) {
  int old = *a;
  *a = *b;
  *b = old;
}

static void sift_up(struct heap *h, int at) {
  for (int parent; at > 0 && h->keys[parent = (at - 1) / 2] < h->keys[at]; at = parent) swap(&h->keys[parent], &h->keys[at]);
}

static void sift_down(struct heap *h, int at) {
  for (;;) {
    int largest = at;
    for (int child = 2 * at + 1; child <= 2 * at + 2 && child < h->all.items; child++)
      if (h->keys[child] > h->keys[largest]) largest = child;
    if (largest == at) return;
    swap(&h->keys[largest], &h->keys[at]);
    at = largest;
  }
}

static void heap_push(struct heap *h, int key) {
  writing(&h->all);
  if (h->all.items == h->room) {
    h->room *= 2;
    h->keys = realloc(h->keys, (size_t)h->room * sizeof *h->keys);
  }
  h->keys[h->all.items] = key;
  sift_up(h, h->all.items++);
  done(&h->all);
}

static int heap_pop(struct heap *h, int *key) {
  writing(&h->all);
  int found = h->all.items > 0;
  if (found) {
    *key = h->keys[0];
    h->keys[0] = h->keys[--h->all.items];
    sift_down(h, 0);
  }
  done(&h->all);
  return found;
}

static int heap_top(struct heap *h, int *key) {
  reading(&h->all);
  int found = h->all.items > 0;
  if (found) *key = h->keys[0];
  done(&h->all);
  return found;
}

static int heap_count(struct heap *h) {
  reading(&h->all);
  int count = h->all.items;
  done(&h->all);
  return count;
}

/* ---- the driver ---- */

static struct heap heap;

static void *user(void *argument) {
  int id = (int)(long)argument, key;
  heap_push(&heap, 10 + id);
  int found = heap_top(&heap, &key);
  assert(!found || key >= 5);
  found = heap_pop(&heap, &key);
  assert(found && key >= 10);
  return NULL;
}

int main(void) {
  int key;
  heap_init(&heap);
  heap_push(&heap, 5);
  run_users(user);
  assert(heap_count(&heap) == 1 && heap_top(&heap, &key) && key == 5);
  heap_destroy(&heap);
  return 0;
}
