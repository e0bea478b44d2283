// SPDX-License-Identifier: Apache-2.0
// The processor's cycle counter escapes our control; the guard that repeats executions notices.
// CHECK: strategy=random max=200 verdict=bugs kinds=nondeterminism options="--guard-every 1"
// CHECK: strategy=random max=200 verdict=incomplete flags=-DFIXED options="--guard-every 1"
#include <stdatomic.h>
#include <time.h>
#include <x86intrin.h>

#include "two.h"

static atomic_int shared;

static void *work(void *unused) {
#ifdef FIXED
  unsigned long long now = (unsigned long long)clock();
#else
  unsigned long long now = __rdtsc();
#endif
  if (now / 8 % 2) shared++;
  shared++;
  return NULL;
}

int main(void) {
  run_two(work, work);
  return 0;
}
