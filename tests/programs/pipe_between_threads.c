// SPDX-License-Identifier: Apache-2.0
// A thread reads from a pipe that the other fills: blocks without hanging the process. Nobody writing is a deadlock.
// CHECK: strategy=exhaustive verdict=bugs kinds=deadlock executions=4
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=17
#include <assert.h>
#include <unistd.h>

#include "two.h"

static int ends[2];

static void *reader(void *unused) {
  char letter = 0;
  assert(read(ends[0], &letter, 1) == 1 && letter == 'x');
  return NULL;
}

static void *writer(void *unused) {
#ifdef FIXED
  assert(write(ends[1], "x", 1) == 1);
#endif
  return NULL;
}

int main(void) {
  assert(pipe(ends) == 0);
  run_two(reader, writer);
  close(ends[0]);
  close(ends[1]);
  return 0;
}
