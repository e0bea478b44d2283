// SPDX-License-Identifier: Apache-2.0
// A handler that writes what a third thread reads, wherever the signal finds its thread: each way in which the reads come before or behind
// the handler has to be tried for each place at which the signal may come.
// CHECK: strategy=optimal verdict=clean options="--outcomes" outcomes="first=0,handled=0,second=0;first=0,handled=0,second=2;first=0,handled=1,second=0;first=0,handled=1,second=2;first=2,handled=0,second=2;first=2,handled=1,second=2"
// CHECK: strategy=value verdict=clean options="--outcomes" outcomes="first=0,handled=0,second=0;first=0,handled=0,second=2;first=0,handled=1,second=0;first=0,handled=1,second=2;first=2,handled=0,second=2;first=2,handled=1,second=2"
// CHECK: strategy=se-mcr verdict=clean options="--outcomes" outcomes="first=0,handled=0,second=0;first=0,handled=0,second=2;first=0,handled=1,second=0;first=0,handled=1,second=2;first=2,handled=0,second=2;first=2,handled=1,second=2"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <treadle/treadle.h>

static atomic_int x, y, times;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void handler(int number) {
  (void)number;
  x = 2;
  times++;
}

static void *reads(void *unused) {
  treadle_observe("first", x);
  treadle_observe("second", atomic_fetch_add(&x, 2));
  return unused;
}

static void *is_interrupted(void *unused) {
  (void)y;
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  treadle_observe("handled", times);
  return unused;
}

int main(void) {
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR1, &action, NULL);
  pthread_t reader, interrupted;
  pthread_create(&reader, NULL, reads, NULL);
  pthread_create(&interrupted, NULL, is_interrupted, NULL);
  pthread_kill(interrupted, SIGUSR1);
  pthread_join(reader, NULL);
  pthread_join(interrupted, NULL);
  return 0;
}
