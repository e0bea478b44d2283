// SPDX-License-Identifier: Apache-2.0
// StringBuffer: one thread appends the second buffer to the first, another empties a buffer. append() asks for the length and then for the
// characters, each under the second buffer's lock, but not both. -DDELETE_SECOND: what is emptied is the second buffer, and append() gets
// an index that is no more. -DFIXED: append() holds both locks throughout.
// verdict: sc=clean tso=clean pso=clean
// verdict: -DDELETE_SECOND sc=assertion tso=assertion pso=assertion
// verdict: -DDELETE_SECOND -DFIXED sc=clean tso=clean pso=clean
// runs: optimal=3/3/3 rf=3/3/3 value=3/3/3 mcr-s+=3/3/3 se-mcr=3/3/3
// runs: -DDELETE_SECOND -DQUIET optimal=6/6/6 rf=3/3/3 value=3/3/3 mcr-s+=3/3/3 se-mcr=3/3/3
#include "shared.h"

enum { room = 8 };

struct buffer {
  pthread_mutex_t mutex;
  shared value[room], count;
};

static struct buffer first, second;

static void make(struct buffer *buffer, char only) {
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&buffer->mutex, &recursive);
  pthread_mutexattr_destroy(&recursive);
  set(buffer->value[0], only);
  set(buffer->count, 1);
}

static int length(struct buffer *buffer) {
  pthread_mutex_lock(&buffer->mutex);
  int count = get(buffer->count);
  pthread_mutex_unlock(&buffer->mutex);
  return count;
}

static void get_characters(struct buffer *from, int end, struct buffer *to, int at) {
  pthread_mutex_lock(&from->mutex);
  claim(end <= get(from->count));
  for (int i = 0; i < end; i++) set(to->value[at + i], get(from->value[i]));
  pthread_mutex_unlock(&from->mutex);
}

static void append(struct buffer *to, struct buffer *from) {
  pthread_mutex_lock(&to->mutex);
#ifdef FIXED
  pthread_mutex_lock(&from->mutex);
#endif
  int more = length(from), count = get(to->count);
  get_characters(from, more, to, count);
  set(to->count, count + more);
#ifdef FIXED
  pthread_mutex_unlock(&from->mutex);
#endif
  pthread_mutex_unlock(&to->mutex);
}

static void delete_characters(struct buffer *buffer, int end) {
  pthread_mutex_lock(&buffer->mutex);
  int count = get(buffer->count);
  if (end > count) end = count;
  for (int i = end; i < count; i++) set(buffer->value[i - end], get(buffer->value[i]));
  set(buffer->count, count - end);
  pthread_mutex_unlock(&buffer->mutex);
}

static void *appender(void *unused) {
  (void)unused;
  append(&first, &second);
  return NULL;
}

static void *deleter(void *unused) {
  (void)unused;
#ifdef DELETE_SECOND
  struct buffer *buffer = &second;
#else
  struct buffer *buffer = &first;
#endif
  delete_characters(buffer, length(buffer));
  return NULL;
}

int main(void) {
  make(&first, 'H');
  make(&second, 'W');
  start(appender);
  start(deleter);
  join_all();
  pthread_mutex_destroy(&first.mutex);
  pthread_mutex_destroy(&second.mutex);
  return 0;
}
