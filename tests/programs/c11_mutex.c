// SPDX-License-Identifier: Apache-2.0
// C11 threads and mutexes.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race executions=19
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=540
// CHECK: strategy=exhaustive verdict=bugs kinds=deadlock flags=-DOPPOSITE executions=811
#include <assert.h>
#include <threads.h>

static mtx_t a, b;
static int shared;

static int forwards(void *unused) {
#if defined(FIXED) || defined(OPPOSITE)
  mtx_lock(&a);
  mtx_lock(&b);
#endif
  shared++;
#if defined(FIXED) || defined(OPPOSITE)
  mtx_unlock(&b);
  mtx_unlock(&a);
#endif
  return 7;
}

#ifdef OPPOSITE
static int backwards(void *unused) {
  mtx_lock(&b);
  mtx_lock(&a);
  shared++;
  mtx_unlock(&a);
  mtx_unlock(&b);
  return 7;
}
#else
#define backwards forwards
#endif

int main(void) {
  thrd_t first, second;
  int result;
  mtx_init(&a, mtx_plain);
  mtx_init(&b, mtx_plain);
  thrd_create(&first, forwards, NULL);
  thrd_create(&second, backwards, NULL);
  thrd_join(first, &result);
  assert(result == 7);
  thrd_join(second, &result);
  assert(result == 7);
  mtx_destroy(&a);
  mtx_destroy(&b);
  return 0;
}
