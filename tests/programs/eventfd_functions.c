// SPDX-License-Identifier: Apache-2.0
// eventfd_read and eventfd_write hand over what was written before, as read and write do. Without FIXED it is written too late.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race
// CHECK: strategy=exhaustive flags=-DFIXED verdict=clean executions=3
#include <assert.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int bell, message;

static void* ring(void* unused) {
  (void)unused;
#ifdef FIXED
  message = 1;
#endif
  assert(eventfd_write(bell, 3) == 0);
#ifndef FIXED
  message = 1;
#endif
  return NULL;
}

int main(void) {
  bell = eventfd(0, EFD_NONBLOCK);
  const int waiting = epoll_create1(0);
  struct epoll_event wanted = {.events = EPOLLIN}, got;
  epoll_ctl(waiting, EPOLL_CTL_ADD, bell, &wanted);
  pthread_t thread;
  pthread_create(&thread, NULL, ring, NULL);
  assert(epoll_wait(waiting, &got, 1, -1) == 1);
  eventfd_t rings;
  assert(eventfd_read(bell, &rings) == 0 && rings == 3);
  const int heard = message;
  pthread_join(thread, NULL);
  close(waiting);
  close(bell);
  return heard > 1;
}
