// SPDX-License-Identifier: Apache-2.0
// Thread-specific data: the destructor runs once per thread with a value, before join returns. Without one the block leaks.
// CHECK: strategy=exhaustive verdict=bugs kinds=leak options=--leaks executions=19
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED options=--leaks executions=69
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "two.h"

static pthread_key_t key;
static atomic_int destroyed;

static void *work(void *unused) {
  assert(pthread_getspecific(key) == NULL);
  pthread_setspecific(key, malloc(8));
  return NULL;
}

static void destroy(void *block) {
  free(block);
  destroyed++;
}

int main(void) {
#ifdef FIXED
  pthread_key_create(&key, destroy);
#else
  pthread_key_create(&key, NULL);
#endif
  run_two(work, work);
#ifdef FIXED
  assert(destroyed == 2);
#endif
  pthread_key_delete(key);
  (void)destroy;
  return 0;
}
