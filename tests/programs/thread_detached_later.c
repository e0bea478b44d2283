// SPDX-License-Identifier: Apache-2.0
// Main looks at what a thread does, and only then detaches it: the thread may have begun, and done all of it, before.
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion executions=32
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=35
// CHECK: strategy=dpor verdict=bugs kinds=assertion
// CHECK: strategy=mpc verdict=bugs kinds=assertion flags=--symbolic
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int done;

static void *work(void *unused) {
  done = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  const int seen = done;
#ifdef FIXED
  assert(seen == 0 || seen == 1);
#else
  assert(seen == 0);
#endif
  pthread_detach(thread);
  pthread_exit(NULL);
}
