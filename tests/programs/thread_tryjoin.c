// SPDX-License-Identifier: Apache-2.0
// pthread_tryjoin_np and pthread_timedjoin_np may say that the thread still runs.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race,misuse flags=-DTRY executions=6
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race,misuse flags=-DTIMED executions=6
// CHECK: strategy=exhaustive verdict=clean flags="-DTRY -DFIXED" executions=3
// CHECK: strategy=exhaustive verdict=clean flags="-DTIMED -DFIXED" executions=3
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static int result;

static void *work(void *unused) {
  result = 42;
  return NULL;
}

static int join(pthread_t thread) {
#ifdef TRY
  return pthread_tryjoin_np(thread, NULL);
#else
  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_sec += 1;
  return pthread_timedjoin_np(thread, NULL, &soon);
#endif
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  int refused = join(thread);
#ifdef FIXED
  if (refused) pthread_join(thread, NULL);
#endif
  (void)refused;
  return result != 42 && result != 0;
}
