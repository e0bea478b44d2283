// SPDX-License-Identifier: Apache-2.0
// A thread-safe hash table whose entries are also a list in the order of insertion. The count of items is read without the lock, and a
// condition variable meant for transactions, which this mode of the table never initialises, is destroyed nevertheless.
// FINDS: data-race count read-count "data race on `heap 0#1"
// FINDS: misuse destroy-condition "condition variable is used that was never initialised"
// FIXED: reads under the lock and destroys only what it has initialised
#include "collection.h"

enum { BUCKETS = 4 };

struct entry {
  const char *key;
  int value;
  struct entry *in_bucket;       /* next one with this hash */
  struct entry *earlier, *later; /* order of insertion */
};

struct hashlist {
  struct collection all;
  pthread_cond_t transaction_over; /* only with transactions */
  int transactions;
  struct entry *buckets[BUCKETS];
  struct entry *oldest, *newest;
};

static unsigned hash(const char *key) {
  unsigned h = 5381;
  while (*key) h = h * 33 + (unsigned char)*key++;
  return h % BUCKETS;
}

static struct hashlist *hashlist_new(int transactions) {
  struct hashlist *h = malloc(sizeof *h);
  memset(h, 0xa5, sizeof *h); /* as malloc leaves it on a bad day */
  collection_init(&h->all);
  h->transactions = transactions;
  if (transactions) pthread_cond_init(&h->transaction_over, NULL);
  for (int i = 0; i < BUCKETS; i++) h->buckets[i] = NULL;
  h->oldest = h->newest = NULL;
  return h;
}

static void hashlist_free(struct hashlist *h) {
  for (struct entry *e = h->oldest, *next; e; e = next) {
    next = e->later;
    free(e);
  }
#ifdef FIXED
  if (h->transactions)
#endif
    pthread_cond_destroy(&h->transaction_over);  // @destroy-condition
  collection_destroy(&h->all);
  free(h);
}

static struct entry *find(const struct hashlist *h, const char *key) {
  struct entry *e = h->buckets[hash(key)];
  while (e && strcmp(e->key, key) != 0) e = e->in_bucket;
  return e;
}

static void hashlist_append(struct hashlist *h, const char *key, int value) {
  writing(&h->all);
  struct entry *e = find(h, key);
  if (e) {
    e->value = value;
  } else {
    e = malloc(sizeof *e);
    *e = (struct entry){key, value, h->buckets[hash(key)], h->newest, NULL};
    h->buckets[hash(key)] = e;
    if (h->newest)
      h->newest->later = e;
    else
      h->oldest = e;
    h->newest = e;
    h->all.items++;  // @count
  }
  done(&h->all);
}

static int hashlist_get(struct hashlist *h, const char *key, int *value) {
  reading(&h->all);
  const struct entry *e = find(h, key);
  if (e) *value = e->value;
  done(&h->all);
  return e != NULL;
}

static int hashlist_count(struct hashlist *h) {
#ifdef FIXED
  reading(&h->all);
#endif
  int count = h->all.items;  // @read-count
#ifdef FIXED
  done(&h->all);
#endif
  return count;
}

/* ---- the driver ---- */

static struct hashlist *list;
static const char *const names[USERS] = {"warp", "weft"};

static void *user(void *argument) {
  int id = (int)(long)argument, value = -1;
  hashlist_append(list, names[id], id);
  int count = hashlist_count(list);
  assert(count >= 1 && count <= USERS);
  assert(hashlist_get(list, names[id], &value) && value == id);
  return NULL;
}

static int length(const struct hashlist *h) {
  int n = 0;
  for (const struct entry *e = h->oldest; e; e = e->later) n++;
  return n;
}

int main(void) {
  list = hashlist_new(0);
  run_users(user);
  assert(hashlist_count(list) == USERS && length(list) == USERS);
  hashlist_free(list);
  return 0;
}
