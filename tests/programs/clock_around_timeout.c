// SPDX-License-Identifier: Apache-2.0
// A wait with a time limit may give up between two readings of the clock, and lets time pass then; whether it does depends on who holds the
// lock. What the holder writes meanwhile may be seen, or not, in each case.
// CHECK: strategy=optimal verdict=clean options="--outcomes" outcomes="late=0,passed=1000,seen=0;late=0,passed=1000,seen=2;late=0,passed=2000,seen=0;late=0,passed=2000,seen=2;late=0,passed=3000,seen=0;late=0,passed=3000,seen=2;late=110,passed=1000,seen=0;late=110,passed=1000,seen=2;late=110,passed=2000,seen=0;late=110,passed=2000,seen=2;late=110,passed=1000000000,seen=0;late=110,passed=1000000000,seen=2;late=110,passed=1000001000,seen=0;late=110,passed=1000001000,seen=2;late=110,passed=1000002000,seen=0;late=110,passed=1000002000,seen=2;late=110,passed=1000003000,seen=0;late=110,passed=1000003000,seen=2"
// CHECK: strategy=dpor verdict=clean options="--outcomes" outcomes="late=0,passed=1000,seen=0;late=0,passed=1000,seen=2;late=0,passed=2000,seen=0;late=0,passed=2000,seen=2;late=0,passed=3000,seen=0;late=0,passed=3000,seen=2;late=110,passed=1000,seen=0;late=110,passed=1000,seen=2;late=110,passed=2000,seen=0;late=110,passed=2000,seen=2;late=110,passed=1000000000,seen=0;late=110,passed=1000000000,seen=2;late=110,passed=1000001000,seen=0;late=110,passed=1000001000,seen=2;late=110,passed=1000002000,seen=0;late=110,passed=1000002000,seen=2;late=110,passed=1000003000,seen=0;late=110,passed=1000003000,seen=2"
// CHECK: strategy=value verdict=clean options="--outcomes" outcomes="late=0,passed=1000,seen=0;late=0,passed=1000,seen=2;late=0,passed=2000,seen=0;late=0,passed=2000,seen=2;late=0,passed=3000,seen=0;late=0,passed=3000,seen=2;late=110,passed=1000,seen=0;late=110,passed=1000,seen=2;late=110,passed=2000,seen=0;late=110,passed=2000,seen=2;late=110,passed=1000000000,seen=0;late=110,passed=1000000000,seen=2;late=110,passed=1000001000,seen=0;late=110,passed=1000001000,seen=2;late=110,passed=1000002000,seen=0;late=110,passed=1000002000,seen=2;late=110,passed=1000003000,seen=0;late=110,passed=1000003000,seen=2"
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>
#include <treadle/treadle.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, own = PTHREAD_MUTEX_INITIALIZER;
static atomic_int over;
static atomic_int written;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * 1000000000 + time.tv_nsec;
}

static void *waits(void *unused) {
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec++;
  const int late = pthread_mutex_timedlock(&lock, &limit);
  treadle_observe("late", late);
  if (late == 0) pthread_mutex_unlock(&lock);
  over = 1;
  (void)now();
  return unused;
}

static void *looks(void *unused) {
  pthread_mutex_lock(&own);
  pthread_mutex_unlock(&own);
  const int64_t before = now();
  treadle_observe("seen", written);
  treadle_observe("passed", now() - before);
  return unused;
}

static void *holds(void *unused) {
  pthread_mutex_lock(&lock);
  written = 2;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  void *(*const bodies[])(void *) = {waits, looks, holds};
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, bodies[i], NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  return 0;
}
