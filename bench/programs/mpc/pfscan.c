// SPDX-License-Identifier: Apache-2.0
// Table 3, in the manner of the parallel scanner of files pfscan: main puts work into a queue, workers take it out and count what
// matches, which an input says for each file. Bug 1: the count of matches is added to without its lock. Bug 2 (-DLATE): who closes
// the queue does not wake those that wait. -DFIXED: both right.
// long-mpc: -DFILES=2 : assertion
// mpc: -DFILES=1 -DLATE : deadlock,lost-wakeup
// mpc: -DFILES=1 -DFIXED : nothing
// long-mpc: -DFILES=2 -DFIXED : nothing
#include "inputs.h"

#ifndef FILES
#define FILES 2
#endif

enum { workers = 2 };

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER, count_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int queue[FILES], queued, closed, matches;

/// -> 1: there was one
static int take(int *file) {
  pthread_mutex_lock(&queue_lock);
  while (queued == 0 && !closed) pthread_cond_wait(&more, &queue_lock);
  const int got = queued > 0;
  if (got) *file = queue[--queued];
  pthread_mutex_unlock(&queue_lock);
  return got;
}

static void *work(void *unused) {
  (void)unused;
  int file;
  while (take(&file)) {
    if (!file) continue;
#ifdef FIXED
    pthread_mutex_lock(&count_lock);
#endif
    matches++;
#ifdef FIXED
    pthread_mutex_unlock(&count_lock);
#endif
  }
  return NULL;
}

int main(void) {
  for (int i = 0; i < workers; i++) start(i, work);
  int expected = 0;
  for (int i = 0; i < FILES; i++) {
    const int file = treadle_input_bool("matches");
    expected += file;
    pthread_mutex_lock(&queue_lock);
    queue[queued++] = file;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&queue_lock);
  }
  pthread_mutex_lock(&queue_lock);
  closed = 1;
#if !defined(LATE) || defined(FIXED)
  pthread_cond_broadcast(&more);
#endif
  pthread_mutex_unlock(&queue_lock);
  join_all(workers);
  assert(matches == expected);
  (void)count_lock;
  return 0;
}
