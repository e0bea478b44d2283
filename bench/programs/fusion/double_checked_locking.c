// SPDX-License-Identifier: Apache-2.0
// The first look is without the lock, and at a plain variable. -DFIXED: at an atomic one, released after what it stands for is written.
// predict: : data-race
// predict: -DFIXED : nothing
#include "threads.h"

#ifdef FIXED
static atomic_int is_ready;
#define look() atomic_load_explicit(&is_ready, memory_order_acquire)
#define tell() atomic_store_explicit(&is_ready, 1, memory_order_release)
#else
static int is_ready;
#define look() is_ready
#define tell() (is_ready = 1)
#endif

static int value;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *use(void *unused) {
  (void)unused;
  if (!look()) {
    pthread_mutex_lock(&mutex);
    if (!look()) {
      value = 42;
      tell();
    }
    pthread_mutex_unlock(&mutex);
  }
  assert(value == 42);
  return NULL;
}

int main(void) {
  start(use);
  start(use);
  join_all();
  return 0;
}
