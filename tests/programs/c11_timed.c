// SPDX-License-Identifier: Apache-2.0
// mtx_timedlock and a recursive mtx.
// CHECK: strategy=exhaustive verdict=bugs among=data-race,misuse executions=707
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=427
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t lock;
static int shared;

static int patient(void *unused) {
  mtx_lock(&lock);
  mtx_lock(&lock);
  shared++;
  mtx_unlock(&lock);
  mtx_unlock(&lock);
  return 0;
}

static int hasty(void *unused) {
  struct timespec soon;
  timespec_get(&soon, TIME_UTC);
  soon.tv_sec += 1;
  int result = mtx_timedlock(&lock, &soon);
#ifdef FIXED
  if (result == thrd_timedout) return 0;
#endif
  assert(result == thrd_success || result == thrd_timedout);
  shared++;
  mtx_unlock(&lock);
  return 0;
}

int main(void) {
  thrd_t a, b;
  assert(mtx_init(&lock, mtx_timed | mtx_recursive) == thrd_success);
  thrd_create(&a, patient, NULL);
  thrd_create(&b, hasty, NULL);
  thrd_join(a, NULL);
  thrd_join(b, NULL);
  mtx_destroy(&lock);
  return 0;
}
