// SPDX-License-Identifier: Apache-2.0
// The Bluetooth driver (Qadeer and Wu 2004): a worker sees that the driver is not being stopped, and enters; by then it may have been
// stopped. -DFIXED: it enters first and looks then.
// predict: : assertion
// predict: -DFIXED : nothing
#include "threads.h"

static atomic_int pending = 1, stopping, stopped;
static sem_t nobody_left;

static void leave(void) {
  if (atomic_fetch_sub(&pending, 1) == 1) sem_post(&nobody_left);
}

static int enter(void) {
#ifdef FIXED
  atomic_fetch_add(&pending, 1);
  if (!stopping) return 1;
  leave();
  return 0;
#else
  if (stopping) return 0;
  atomic_fetch_add(&pending, 1);
  return 1;
#endif
}

static void *work(void *unused) {
  (void)unused;
  if (enter()) {
    assert(!stopped);
    leave();
  }
  return NULL;
}

static void *stop(void *unused) {
  (void)unused;
  stopping = 1;
  leave();
  sem_wait(&nobody_left);
  stopped = 1;
  return NULL;
}

int main(void) {
  sem_init(&nobody_left, 0, 0);
  start(work);
  start(stop);
  join_all();
  sem_destroy(&nobody_left);
  return 0;
}
