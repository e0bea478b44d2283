// SPDX-License-Identifier: Apache-2.0
// A lock on a file excludes two threads that opened it separately, without blocking the process.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race executions=1
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=11
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

static int counter;

static void *work(void *unused) {
  int fd = open("/etc/passwd", O_RDONLY);
#ifdef FIXED
  flock(fd, LOCK_EX);
#endif
  counter++;
#ifdef FIXED
  flock(fd, LOCK_UN);
#endif
  close(fd);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  work(NULL);
  pthread_join(thread, NULL);
  assert(counter == 2);
  return 0;
}
