// SPDX-License-Identifier: Apache-2.0
// C11 call_once and tss; thrd_exit; mtx_trylock.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race executions=101
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=1957
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static mtx_t lock;
static int object;
static atomic_int destroyed;

static void destroy(void *block) {
  free(block);
  destroyed++;
}

static void make(void) {
  object = 42;
  tss_create(&key, destroy);
}

static int use(void *unused) {
#ifdef FIXED
  call_once(&once, make);
  tss_set(key, malloc(8));
#else
  object = 42;
#endif
  assert(object == 42);
  thrd_exit(3);
}

int main(void) {
  thrd_t first, second;
  int result;
  mtx_init(&lock, mtx_plain);
  assert(mtx_trylock(&lock) == thrd_success);
  thrd_create(&first, use, NULL);
  thrd_create(&second, use, NULL);
  thrd_join(first, &result);
  assert(result == 3);
  thrd_join(second, &result);
  mtx_unlock(&lock);
  mtx_destroy(&lock);
#ifdef FIXED
  assert(destroyed == 2);
#endif
  (void)once, (void)make;
  return 0;
}
