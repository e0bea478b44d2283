// SPDX-License-Identifier: Apache-2.0
// Table 3, in the manner of Apache's buffered log writer (bug 25520): requests of any length are copied to a shared buffer and its
// count is moved on, or the buffer is written out when there is no room, all without a lock. Two of them overwrite each other's
// text, or write behind the end of the buffer. -DFIXED: with a lock.
// mpc: : assertion
// mpc: -DFIXED : nothing
#include "inputs.h"

enum { room = 8, requests = 2 };

static char buffer[room];
static int count, flushed;
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void *log_request(void *unused) {
  (void)unused;
  const int length = treadle_input_range("length", 1, 6);
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  if (length + count > room) {
    flushed += count;
    count = 0;
  }
  const int at = count;
  assert(at + length <= room);
  buffer[0] = 'x';
  count = count + length;
  assert(count == at + length);
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return (void *)(intptr_t)length;
}

int main(void) {
  for (int i = 0; i < requests; i++) start(i, log_request);
  int wanted = 0;
  for (int i = 0; i < requests; i++) {
    void *length;
    pthread_join(threads[i], &length);
    wanted += (int)(intptr_t)length;
  }
  assert(flushed + count == wanted);
  return 0;
}
