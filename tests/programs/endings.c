// SPDX-License-Identifier: Apache-2.0
// Every way in which a program can fail by itself, in the one schedule where the second thread comes first.
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion flags="-DFAIL=assert(0)" executions=61
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion flags="-DFAIL=abort()" executions=61
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion flags="-DFAIL=reach_error()" executions=61
// CHECK: strategy=exhaustive verdict=bugs kinds=crash flags="-DFAIL=divide(0)" executions=61
// CHECK: strategy=exhaustive verdict=bugs kinds=crash flags="-DFAIL=recurse(1)" executions=61
// CHECK: strategy=exhaustive verdict=bugs kinds=crash flags="-DFAIL=wild()" executions=61
// CHECK: strategy=exhaustive verdict=bugs kinds=crash flags="-DFAIL=raise(SIGILL)" executions=61
// CHECK: strategy=exhaustive verdict=bugs kinds=null-dereference flags="-DFAIL=null()" executions=61
// CHECK: strategy=exhaustive verdict=bugs kinds=crash flags="-DFAIL=trap()" executions=61
// CHECK: strategy=exhaustive verdict=clean flags="-DFAIL=fine()" executions=69
#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "two.h"

void reach_error(void);
static atomic_int flag;
static volatile int sink;
static int *volatile nowhere;

__attribute__((unused)) static void divide(volatile int by) { sink = 1000 / by; }
__attribute__((unused)) static int recurse(volatile int depth) {
  volatile char big[4096];
  big[0] = (char)depth;
  return depth ? recurse(depth + 1) + big[0] : 0;
}
__attribute__((unused)) static void wild(void) { *(volatile int *)0x123456789000 = 1; }
__attribute__((unused)) static void null(void) { *nowhere = 1; }
__attribute__((unused)) static void trap(void) { __builtin_trap(); }
__attribute__((unused)) static void fine(void) {}

static void *first(void *unused) {
  if (atomic_load(&flag)) FAIL;
  return NULL;
}

static void *second(void *unused) {
  atomic_store(&flag, 1);
  return NULL;
}

int main(void) {
  run_two(first, second);
  return 0;
}
