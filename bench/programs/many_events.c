// SPDX-License-Identifier: Apache-2.0
// Some 100,000 events and an assertion that fails at the end: what the HTML report has to cope with.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { threads = 4, rounds = 4300 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long table[256];
static long last;
static atomic_long done;

static void *work(void *argument) {
  const long me = (long)argument;
  for (long i = 0; i < rounds; i++) {
    pthread_mutex_lock(&mutex);
    table[(i * 7 + me) % 256] += i;
    last = me;
    pthread_mutex_unlock(&mutex);
    atomic_fetch_add(&done, 1);
  }
  return NULL;
}

int main(void) {
  pthread_t thread[threads];
  for (long i = 0; i < threads; i++) pthread_create(&thread[i], NULL, work, (void *)(i + 1));
  for (int i = 0; i < threads; i++) pthread_join(thread[i], NULL);
  assert(done != threads * rounds);
  return 0;
}
