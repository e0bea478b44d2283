// SPDX-License-Identifier: Apache-2.0
// A thread-safe doubly linked list. "Is it empty?" looks at the count of items without the lock.
// FINDS: data-race count read-count "items"
// FIXED: looks under the lock
#include "collection.h"

struct link {
  int item;
  struct link *prev, *next;
};

struct list {
  struct collection all;
  struct link *head, *tail;
};

static void list_init(struct list *l) {
  collection_init(&l->all);
  l->head = l->tail = NULL;
}

static void list_destroy(struct list *l) {
  for (struct link *at = l->head, *next; at; at = next) {
    next = at->next;
    free(at);
  }
  collection_destroy(&l->all);
}

static void set_count(struct list *l, int items) {
  l->all.items = items;  // @count
}

static void list_append(struct list *l, int item) {
  struct link *link = malloc(sizeof *link);
  link->item = item;
  link->next = NULL;
  writing(&l->all);
  link->prev = l->tail;
  if (l->tail)
    l->tail->next = link;
  else
    l->head = link;
  l->tail = link;
  set_count(l, l->all.items + 1);
  done(&l->all);
}

/* The first item, which leaves the list. */
static int list_take(struct list *l, int *item) {
  writing(&l->all);
  struct link *link = l->head;
  if (link) {
    *item = link->item;
    l->head = link->next;
    if (l->head)
      l->head->prev = NULL;
    else
      l->tail = NULL;
    set_count(l, l->all.items - 1);
  }
  done(&l->all);
  free(link);
  return link != NULL;
}

static int list_is_empty(struct list *l) {
#ifdef FIXED
  reading(&l->all);
#endif
  int empty = l->all.items == 0;  // @read-count
#ifdef FIXED
  done(&l->all);
#endif
  return empty;
}

/* ---- the driver ---- */

static struct list list;

static void *user(void *argument) {
  int id = (int)(long)argument, item = -1;
  list_append(&list, id);
  if (!list_is_empty(&list) && list_take(&list, &item)) assert(item >= 0 && item < USERS);
  return NULL;
}

int main(void) {
  list_init(&list);
  run_users(user);
  assert(list_is_empty(&list));
  list_destroy(&list);
  return 0;
}
