// SPDX-License-Identifier: Apache-2.0
// A thread waits for a signal that main sends to the process: what main did before is done. Without the signal it waits for ever.
// CHECK: strategy=exhaustive verdict=bugs kinds=deadlock executions=1
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=2
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static sigset_t stop;
static int done, handled;

static void handle(int signal) { handled += signal; }

static void *waiter(void *unused) {
  int signal;
  assert(sigwait(&stop, &signal) == 0 && signal == SIGTERM);
  assert(done == 1);
  return NULL;
}

int main(void) {
  signal(SIGUSR1, handle);
  raise(SIGUSR1);
  assert(handled == SIGUSR1);
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stop, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, waiter, NULL);
  done = 1;
#ifdef FIXED
  kill(getpid(), SIGTERM);
#endif
  pthread_join(thread, NULL);
  return 0;
}
