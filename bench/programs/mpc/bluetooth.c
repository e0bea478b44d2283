// SPDX-License-Identifier: Apache-2.0
// Table 3, in the manner of the Bluetooth driver: requests count themselves as pending unless the driver is stopping; who stops it
// waits until none is pending. A request that looked before the flag was set is still counted too late, and works on a driver that
// has stopped. An input says whether there is a request at all. -DFIXED: it counts itself first.
// mpc: : assertion
// mpc: -DFIXED : nothing
#include "inputs.h"

static atomic_int pending = 1, stopping, stopped;

static void release(void) {
  if (atomic_fetch_sub(&pending, 1) == 1) atomic_store(&stopped, 1);
}

static int enter(void) {
#ifdef FIXED
  atomic_fetch_add(&pending, 1);
  if (atomic_load(&stopping)) {
    release();
    return 0;
  }
#else
  if (atomic_load(&stopping)) return 0;
  atomic_fetch_add(&pending, 1);
#endif
  return 1;
}

static void *request(void *unused) {
  (void)unused;
  if (!treadle_input_bool("request") || !enter()) return NULL;
  assert(!atomic_load(&stopped));
  release();
  return NULL;
}

static void *stop(void *unused) {
  (void)unused;
  atomic_store(&stopping, 1);
  release();
  return NULL;
}

int main(void) {
  start(0, request);
  start(1, stop);
  join_all(2);
  return 0;
}
