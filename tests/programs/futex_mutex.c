// SPDX-License-Identifier: Apache-2.0
// A mutex on bare futexes (after Drepper). The buggy one forgets to wake the sleeper.
// CHECK: strategy=exhaustive verdict=bugs kinds=deadlock message="everybody waits" executions=355
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=867
// CHECK: strategy=mpc verdict=bugs kinds=deadlock flags=--symbolic message="everybody waits"
// CHECK: strategy=mpc model=sc verdict=clean flags="--symbolic -DFIXED" covers="all inputs" executions=7
// CHECK: strategy=mpc model=tso verdict=clean flags="--symbolic -DFIXED" covers="all inputs" executions=7
// CHECK: strategy=mpc model=pso verdict=clean flags="--symbolic -DFIXED" covers="all inputs" executions=7
#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "two.h"

static atomic_int word;  // 0 free, 1 taken, 2 taken and somebody sleeps
static int shared;

static void lock(void) {
  int seen = 0;
  if (atomic_compare_exchange_strong(&word, &seen, 1)) return;
  while (atomic_exchange(&word, 2) != 0) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void unlock(void) {
  if (atomic_exchange(&word, 0) == 2) {
#ifdef FIXED
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
#endif
  }
}

static void *work(void *unused) {
  lock();
  shared++;
  unlock();
  return NULL;
}

int main(void) {
  run_two(work, work);
  return 0;
}
