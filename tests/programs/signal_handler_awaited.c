// SPDX-License-Identifier: Apache-2.0
// Waits that a handler ends. A signal that is not blocked beforehand may come before the wait, which then lasts for ever.
// CHECK: strategy=exhaustive verdict=bugs kinds=deadlock executions=28
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=34
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int handled;

static void handler(int signal) { handled = signal; }

static void *send_it(void *to) {
  pthread_kill(*(pthread_t *)to, SIGUSR1);
  return NULL;
}

int main(void) {
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR1, &action, NULL);
  sigset_t one, before;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
#ifdef FIXED
  pthread_sigmask(SIG_BLOCK, &one, &before);
#endif
  pthread_t self = pthread_self(), other;
  pthread_create(&other, NULL, send_it, &self);
#ifdef FIXED
  assert(handled == 0);
  assert(sigsuspend(&before) == -1 && errno == EINTR);
#else
  if (handled == 0) pause();
#endif
  assert(handled == SIGUSR1);
  pthread_join(other, NULL);
  return 0;
}
