// SPDX-License-Identifier: Apache-2.0
// Weblech: two spiders take addresses from one queue until it is empty and nothing is being downloaded. Whether there is one is tested
// without the queue's lock, so that the queue may be empty when an address is taken: next is NULL and is looked at all the same. The number
// of running spiders and of bytes downloaded are counted without lock; nothing depends on the bytes.
// URLS: addresses in the queue at the start. PAGES: bytes are counted so many times for each of them.
// verdict: sc=data-race,null-dereference tso=data-race,null-dereference pso=data-race,null-dereference
// verdict: -DQUIET sc=data-race tso=data-race pso=data-race
// runs: -DQUIET optimal=192/192/192 rf=72/72/72 value=72/72/72 mcr-s+=72/72/72 se-mcr=72/72/72
#include "shared.h"

#ifndef URLS
#define URLS 1
#endif
#ifndef PAGES
#define PAGES 1
#endif

struct address {
  int depth;
};

static struct address addresses[URLS];
static shared waiting = URLS, in_progress, running, bytes, deepest;
static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;

static struct address *next_in_queue(void) {
  struct address *next = NULL;
  pthread_mutex_lock(&queue);
  int left = get(waiting);
  if (left > 0) {
    next = &addresses[left - 1];
    set(waiting, left - 1);
  }
  set(in_progress, get(in_progress) + 1);
  pthread_mutex_unlock(&queue);
  return next;
}

static void *spider(void *unused) {
  (void)unused;
  for (int i = 0; i < PAGES; i++) set(bytes, get(bytes) + 1);
  while (get(waiting) > 0) {
    struct address *next = next_in_queue();
#ifdef QUIET
    static struct address none;
    if (next == NULL) next = &none;
#endif
    set(deepest, next->depth + 1);
    pthread_mutex_lock(&queue);
    set(in_progress, get(in_progress) - 1);
    pthread_mutex_unlock(&queue);
  }
  set(running, get(running) - 1);
  return NULL;
}

int main(void) {
  set(running, 2);
  start(spider);
  start(spider);
  join_all();
  return 0;
}
