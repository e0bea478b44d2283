// SPDX-License-Identifier: Apache-2.0
// C11 condition variables: the lost wake-up, and a timed wait that ends by itself.
// CHECK: strategy=exhaustive verdict=bugs kinds=lost-wakeup executions=129
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=141
// CHECK: strategy=exhaustive verdict=clean flags=-DTIMED executions=752
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t ready;
static int flag;

static int waiter(void *unused) {
  mtx_lock(&lock);
#if defined(FIXED)
  while (!flag) cnd_wait(&ready, &lock);
#elif defined(TIMED)
  struct timespec soon;
  timespec_get(&soon, TIME_UTC);
  soon.tv_sec += 1;
  int result = cnd_timedwait(&ready, &lock, &soon);
  assert(result == thrd_success || result == thrd_timedout);
#else
  cnd_wait(&ready, &lock);
#endif
  mtx_unlock(&lock);
  return 0;
}

static int signaller(void *unused) {
  mtx_lock(&lock);
  flag = 1;
  cnd_signal(&ready);
  mtx_unlock(&lock);
  return 0;
}

int main(void) {
  thrd_t first, second;
  mtx_init(&lock, mtx_plain);
  cnd_init(&ready);
  thrd_create(&first, waiter, NULL);
  thrd_create(&second, signaller, NULL);
  thrd_join(first, NULL);
  thrd_join(second, NULL);
  cnd_destroy(&ready);
  mtx_destroy(&lock);
  return 0;
}
