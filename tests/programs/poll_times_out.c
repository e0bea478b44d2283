// SPDX-License-Identifier: Apache-2.0
// poll with a time-out may find the message or not; a program that takes it for granted fails. FIXED waits without limit.
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion executions=5
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=3
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void *sender(void *unused) {
  send(ends[0], "x", 1, 0);
  return NULL;
}

int main(void) {
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  pthread_t thread;
  pthread_create(&thread, NULL, sender, NULL);
  struct pollfd wanted = {ends[1], POLLIN, 0};
#ifdef FIXED
  int ready = poll(&wanted, 1, -1);
#else
  int ready = poll(&wanted, 1, 10);
#endif
  assert(ready == 1);
  char byte;
  assert(recv(ends[1], &byte, 1, 0) == 1);
  pthread_join(thread, NULL);
  return 0;
}
