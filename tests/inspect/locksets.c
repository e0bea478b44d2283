// SPDX-License-Identifier: Apache-2.0
// The seed's §4.4: both threads take p, then q under it; b first touches something of its own. The two acquisitions of q can never be
// enabled at once, since both threads hold p then.
// Classes: 2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t p = PTHREAD_MUTEX_INITIALIZER, q = PTHREAD_MUTEX_INITIALIZER;
static atomic_int a;

static void take_both(void) {
  pthread_mutex_lock(&p);
  pthread_mutex_lock(&q);
  pthread_mutex_unlock(&p);
  pthread_mutex_unlock(&q);
}

static void *thread_a(void *unused) {
  take_both();
  return unused;
}

static void *thread_b(void *unused) {
  atomic_fetch_add(&a, 1);
  take_both();
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, thread_a, NULL);
  pthread_create(&threads[1], NULL, thread_b, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
