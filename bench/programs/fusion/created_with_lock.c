// SPDX-License-Identifier: Apache-2.0
// A thread is created by one who has the lock that it will want last. -DFIXED: who wants the other one first.
// predict: : deadlock
// predict: -DFIXED : nothing
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *argument) {
  pthread_mutex_lock(&first);
  pthread_mutex_lock(&second);
  pthread_mutex_unlock(&second);
  pthread_mutex_unlock(&first);
  return argument;
}

int main() {
  pthread_t thread;
#ifdef FIXED
  pthread_mutex_lock(&first);
#endif
  pthread_mutex_lock(&second);
  pthread_create(&thread, NULL, worker, NULL);
#ifndef FIXED
  pthread_mutex_lock(&first);
#endif
  pthread_mutex_unlock(&first);
  pthread_mutex_unlock(&second);
  pthread_join(thread, NULL);
}
