/* SPDX-License-Identifier: Apache-2.0 */
/* What the thread-safe containers of this small library share (after the seed's description of libcprops): a readers-writer lock and a
 * count of items. Each container is a file with a test driver of its own, adapted to several threads. */
#ifndef TESTS_INSPECT_COLLECTION_H
#define TESTS_INSPECT_COLLECTION_H

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct collection {
  pthread_rwlock_t lock;
  int items;
};

static inline void collection_init(struct collection *c) {
  pthread_rwlock_init(&c->lock, NULL);
  c->items = 0;
}

static inline void collection_destroy(struct collection *c) { pthread_rwlock_destroy(&c->lock); }

static inline void reading(struct collection *c) { pthread_rwlock_rdlock(&c->lock); }
static inline void writing(struct collection *c) { pthread_rwlock_wrlock(&c->lock); }
static inline void done(struct collection *c) { pthread_rwlock_unlock(&c->lock); }

/* The driver: `users` threads run `body` with their number at the same time. */
enum { USERS = 2 };

static inline void run_users(void *(*body)(void *)) {
  pthread_t users[USERS];
  for (long i = 0; i < USERS; i++) pthread_create(&users[i], NULL, body, (void *)i);
  for (int i = 0; i < USERS; i++) pthread_join(users[i], NULL);
}

#endif
