// SPDX-License-Identifier: Apache-2.0
// A parallel file scanner (after the seed's description of pfscan: find, xargs and fgrep in one): main walks the tree and puts paths into a
// bounded queue, workers take them out and search the files.
// Wrong: the condition variable on which the producer waits for room is never initialised; the locks of the output and of the totals are
// never destroyed; main leaves as soon as the last worker has said that it is about to end, without letting it end; and the number of
// files scanned is counted without a lock.
// FINDS: misuse wait-room "condition variable is used that was never initialised"
// FINDS: misuse signal-room "condition variable is used that was never initialised"
// FINDS: misuse output-init "not destroyed"
// FINDS: misuse totals-init "not destroyed"
// FINDS: misuse leave "the program ends while threads are still running"
// FINDS: data-race count-file "`files_scanned`"
// FIXED: initialises and destroys what it uses, counts under the lock and joins its workers
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 2, ROOM = 1 };

/* ---- the directory tree ---- */

struct file {
  const char *path;
  const char *contents;
};

static const struct file tree[] = {
    {"src/main.c", "int main(void) { return needle; }"},
    {"src/list.c", "struct list *head; /* needle, needle */"},
};
enum { FILES = sizeof tree / sizeof *tree, NEEDLES = 3 };

/* ---- a bounded queue of work ---- */

struct queue {
  pthread_mutex_t lock;
  pthread_cond_t more, room;
  const struct file *items[ROOM];
  int count, first;
  int closed;
};

static struct queue *queue_new(void) {
  struct queue *q = malloc(sizeof *q);
  memset(q, 0x5a, sizeof *q); /* as malloc leaves it on a bad day */
  pthread_mutex_init(&q->lock, NULL);
  pthread_cond_init(&q->more, NULL);
#ifdef FIXED
  pthread_cond_init(&q->room, NULL);
#endif
  q->count = q->first = q->closed = 0;
  return q;
}

static void queue_free(struct queue *q) {
  pthread_mutex_destroy(&q->lock);
  pthread_cond_destroy(&q->more);
#ifdef FIXED
  pthread_cond_destroy(&q->room);
#endif
  free(q);
}

static void queue_put(struct queue *q, const struct file *file) {
  pthread_mutex_lock(&q->lock);
  while (q->count == ROOM) pthread_cond_wait(&q->room, &q->lock);  // @wait-room
  q->items[(q->first + q->count++) % ROOM] = file;
  pthread_cond_signal(&q->more);
  pthread_mutex_unlock(&q->lock);
}

static const struct file *queue_get(struct queue *q) {
  const struct file *file = NULL;
  pthread_mutex_lock(&q->lock);
  while (q->count == 0 && !q->closed) pthread_cond_wait(&q->more, &q->lock);
  if (q->count > 0) {
    file = q->items[q->first];
    q->first = (q->first + 1) % ROOM;
    q->count--;
    pthread_cond_signal(&q->room);  // @signal-room
  }
  pthread_mutex_unlock(&q->lock);
  return file;
}

static void queue_close(struct queue *q) {
  pthread_mutex_lock(&q->lock);
  q->closed = 1;
  pthread_cond_broadcast(&q->more);
  pthread_mutex_unlock(&q->lock);
}

/* ---- the workers ---- */

static pthread_mutex_t output_lock, totals_lock;
static char output[256];
static int matches, files_scanned;
static sem_t workers_gone;

static int occurrences(const char *text, const char *word) {
  int n = 0;
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) n++;
  return n;
}

static void report(const struct file *file, int found) {
  pthread_mutex_lock(&output_lock);
  size_t used = strlen(output);
  snprintf(output + used, sizeof output - used, "%s:%d\n", file->path, found);
  pthread_mutex_unlock(&output_lock);
}

static void scan(const struct file *file) {
  const int found = occurrences(file->contents, "needle");
  if (found > 0) report(file, found);
  pthread_mutex_lock(&totals_lock);
  matches += found;
#ifdef FIXED
  files_scanned++;
#endif
  pthread_mutex_unlock(&totals_lock);
#ifndef FIXED
  files_scanned++;  // @count-file
#endif
}

static void *worker(void *argument) {
  struct queue *q = argument;
  for (const struct file *file; (file = queue_get(q)) != NULL;) scan(file);
#ifndef FIXED
  sem_post(&workers_gone);
#endif
  return NULL;
}

/* ---- main ---- */

static void start(pthread_t *thread, struct queue *q) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
#ifndef FIXED
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
#endif
  pthread_create(thread, &attributes, worker, q);
  pthread_attr_destroy(&attributes);
}

int main(void) {  // @leave
  pthread_t workers[WORKERS];
  pthread_mutex_init(&output_lock, NULL);  // @output-init
  pthread_mutex_init(&totals_lock, NULL);  // @totals-init
  sem_init(&workers_gone, 0, 0);
  struct queue *q = queue_new();
  for (int i = 0; i < WORKERS; i++) start(&workers[i], q);

  for (int i = 0; i < FILES; i++) queue_put(q, &tree[i]);
  queue_close(q);

#ifdef FIXED
  for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], NULL);
  assert(files_scanned == FILES);
#else
  for (int i = 0; i < WORKERS; i++) sem_wait(&workers_gone);
#endif
  assert(matches == NEEDLES);

  queue_free(q);
  sem_destroy(&workers_gone);
#ifdef FIXED
  pthread_mutex_destroy(&output_lock);
  pthread_mutex_destroy(&totals_lock);
#endif
  return 0;
}
