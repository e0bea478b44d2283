// SPDX-License-Identifier: Apache-2.0
// Two transfers between the same accounts: reading a balance and setting it are locked one by one, so that money gets lost.
// -DFIXED: in one.
// predict: : assertion
// predict: -DFIXED : nothing
#include "threads.h"

static int from = 100, to;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void) { pthread_mutex_lock(&mutex); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }

static void *transfer(void *argument) {
  const int amount = 10 * (1 + number_of(argument));
  lock();
  const int available = from, there = to;
#ifndef FIXED
  unlock();
  if (available < amount) return NULL;
  lock();
#else
  if (available >= amount)
#endif
  {
    from = available - amount;
    to = there + amount;
  }
  unlock();
  return NULL;
}

int main(void) {
  start(transfer);
  start(transfer);
  join_all();
  assert(from == 70 && to == 30);
  return 0;
}
