// SPDX-License-Identifier: Apache-2.0
// Predicting atomicity violations, atom001: the pattern of Apache's buffered log. A writer notes where the buffer ends, copies its line
// there and moves the end; another thread that flushes the buffer in between has its work undone. -DA: the flusher waits until the line is
// written.
// predict: --only atomicity : atomicity triples=2/1/1/1
// predict: -DA --only atomicity : nothing triples=2/1/1/0
// predict: -DA --only atomicity --causal-model over : unconfirmed:atomicity
#include "threads.h"

enum { room = 64 };

static struct {
  char text[room];
  int end;
} log_buffer;

static const char line[] = "GET /index.html HTTP/1.1 200";
static int flushed;

#ifdef A
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t was_written = PTHREAD_COND_INITIALIZER;
static int written;
#endif

static void *writer(void *unused) {
  (void)unused;
  treadle_atomic_begin();
  int end = log_buffer.end;
  for (int i = 0; line[i] != 0; i++) log_buffer.text[end + i] = line[i];
  log_buffer.end = end + (int)sizeof line - 1;
  treadle_atomic_end();
#ifdef A
  pthread_mutex_lock(&mutex);
  written = 1;
  pthread_cond_signal(&was_written);
  pthread_mutex_unlock(&mutex);
#endif
  return NULL;
}

static void *flusher(void *unused) {
  (void)unused;
#ifdef A
  pthread_mutex_lock(&mutex);
  while (!written) pthread_cond_wait(&was_written, &mutex);
  pthread_mutex_unlock(&mutex);
#endif
  flushed += log_buffer.end;
  log_buffer.end = 0;
  return NULL;
}

int main(void) {
  log_buffer.text[0] = '>';
  log_buffer.end = 1;
  start(writer);
  start(flusher);
  join_all();
  assert(flushed + log_buffer.end <= room);
  return 0;
}
