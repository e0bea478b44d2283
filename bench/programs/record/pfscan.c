// SPDX-License-Identifier: Apache-2.0
// In the manner of pfscan, a parallel file scanner: main puts names into a bounded queue, workers take them, look for a word in each file
// and add up what they found. The queue is right; the number of matches is read and written in two steps without its lock. What fails:
// matches get lost. -DFIXED: under the lock. (The files are in memory: nothing is read.) record: -DDELAY=300 : assertion check: --races
// explore -DFILES=2
#include "provoke.h"

#ifndef FILES
#define FILES 6
#endif

enum { workers = 2, room = 2 };

static const char* const names[] = {"motd", "hosts", "fstab", "issue", "shells", "services"};
static const char* const contents[] = {"a thread here", "thread by thread",   "no such word",
                                       "thread",        "threadbare threads", "th thr thread"};

// More files than there are texts: they are the same ones again.
#if FILES > 6
#define contents_of(file) contents[(file) % 6]
#define name_of(file) names[(file) % 6]
#else
#define contents_of(file) contents[file]
#define name_of(file) names[file]
#endif

static struct {
  int waiting[room];
  int count, first, closed;
  pthread_mutex_t mutex;
  pthread_cond_t more, less;
} queue = {.mutex = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER, .less = PTHREAD_COND_INITIALIZER};

static int matches;
static int idle;
static pthread_mutex_t matches_mutex = PTHREAD_MUTEX_INITIALIZER, idle_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_idle = PTHREAD_COND_INITIALIZER;

static void put(int file) {
  pthread_mutex_lock(&queue.mutex);
  while (queue.count == room) pthread_cond_wait(&queue.less, &queue.mutex);
  queue.waiting[(queue.first + queue.count) % room] = file;
  queue.count++;
  pthread_cond_signal(&queue.more);
  pthread_mutex_unlock(&queue.mutex);
}

static void close_queue(void) {
  pthread_mutex_lock(&queue.mutex);
  queue.closed = 1;
  pthread_cond_broadcast(&queue.more);
  pthread_mutex_unlock(&queue.mutex);
}

static int take(void) {
  pthread_mutex_lock(&queue.mutex);
  while (queue.count == 0 && !queue.closed) pthread_cond_wait(&queue.more, &queue.mutex);
  int file = -1;
  if (queue.count > 0) {
    file = queue.waiting[queue.first];
    queue.first = (queue.first + 1) % room;
    queue.count--;
    pthread_cond_signal(&queue.less);
  }
  pthread_mutex_unlock(&queue.mutex);
  return file;
}

static int scan(const char* text, const char* word) {
  int found = 0;
  for (; *text != 0; text++) {
    int i = 0;
    while (word[i] != 0 && text[i] == word[i]) i++;
    if (word[i] == 0) found++;
  }
  return found;
}

static void add(int found) {
  if (found == 0) return;
#ifdef FIXED
  pthread_mutex_lock(&matches_mutex);
#endif
  const int before = matches;
  linger(1);
  matches = before + found;
#ifdef FIXED
  pthread_mutex_unlock(&matches_mutex);
#endif
}

static void* work(void* unused) {
  (void)unused;
  for (int file; (file = take()) >= 0;) add(scan(contents_of(file), "thread"));
  pthread_mutex_lock(&idle_mutex);
  if (++idle == workers) pthread_cond_signal(&all_idle);
  pthread_mutex_unlock(&idle_mutex);
  return NULL;
}

int main(void) {
  int expected = 0;
  for (int i = 0; i < FILES; i++) expected += scan(contents_of(i), "thread");
  for (int i = 0; i < workers; i++) start(work);
  for (int i = 0; i < FILES; i++) put(i);
  close_queue();
  pthread_mutex_lock(&idle_mutex);
  while (idle < workers) pthread_cond_wait(&all_idle, &idle_mutex);
  pthread_mutex_unlock(&idle_mutex);
  printf("%d matches in %d files, the last of them %s\n", matches, FILES, name_of(FILES - 1));
  assert(matches == expected);
  join_all();
  return 0;
}
