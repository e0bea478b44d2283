// SPDX-License-Identifier: Apache-2.0
// Two readers who wait for each other while both have the lock, and a writer: it comes before both of them or after both.
// CHECK: strategy=optimal verdict=clean options=--outcomes outcomes="seen=0;seen=1" executions=4
// CHECK: strategy=dpor verdict=clean options=--outcomes outcomes="seen=0;seen=1"
// CHECK: strategy=value verdict=clean options=--outcomes outcomes="seen=0;seen=1"
#include <pthread.h>
#include <treadle/treadle.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t both;
static int value, seen;

static void *reads(void *looks) {
  pthread_rwlock_rdlock(&lock);
  if (looks) seen = value;
  pthread_barrier_wait(&both);
  pthread_rwlock_unlock(&lock);
  return 0;
}

static void *writes(void *unused) {
  pthread_rwlock_wrlock(&lock);
  value = 1;
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_barrier_init(&both, 0, 2);
  pthread_create(&threads[0], 0, reads, &value);
  pthread_create(&threads[1], 0, reads, 0);
  pthread_create(&threads[2], 0, writes, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  treadle_observe("seen", seen);
  pthread_barrier_destroy(&both);
  pthread_rwlock_destroy(&lock);
  return 0;
}
