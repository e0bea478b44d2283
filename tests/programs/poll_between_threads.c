// SPDX-License-Identifier: Apache-2.0
// poll and select on pipes between threads: readiness is waited for, a time-out is an alternative.
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion flags=-DPOLL executions=27
// CHECK: strategy=exhaustive verdict=clean flags="-DPOLL -DFIXED" executions=21
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion flags=-DSELECT executions=27
// CHECK: strategy=exhaustive verdict=clean flags="-DSELECT -DFIXED" executions=21
#include <assert.h>
#include <poll.h>
#include <sys/select.h>
#include <unistd.h>

#include "two.h"

static int ends[2];

static int ready(void) {
#ifdef POLL
  struct pollfd one = {ends[0], POLLIN, 0};
#ifdef FIXED
  return poll(&one, 1, -1);
#else
  return poll(&one, 1, 100);
#endif
#else
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
#ifdef FIXED
  return select(ends[0] + 1, &set, NULL, NULL, NULL);
#else
  struct timeval soon = {1, 0};
  return select(ends[0] + 1, &set, NULL, NULL, &soon);
#endif
#endif
}

static void *reader(void *unused) {
  char letter;
  assert(ready() == 1);
  assert(read(ends[0], &letter, 1) == 1);
  return NULL;
}

static void *writer(void *unused) {
  assert(write(ends[1], "x", 1) == 1);
  return NULL;
}

int main(void) {
  assert(pipe(ends) == 0);
  run_two(reader, writer);
  close(ends[0]);
  close(ends[1]);
  return 0;
}
