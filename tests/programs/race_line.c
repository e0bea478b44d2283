// SPDX-License-Identifier: Apache-2.0
// The earlier access of a data race is told with its own line, not with that of the same thread's latest access to those eight bytes (`b`).
// CHECK: strategy=optimal verdict=bugs kinds=data-race message="not ordered with the write by 0.1 at race_line.c:15"
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race message="data race on `s.a`"
#include <pthread.h>
#include <stdatomic.h>

static struct {
  _Alignas(8) int a;
  char b;
} s;
static atomic_int written;

static void *work(void *unused) {
  s.a = 1;
  s.b = 1;
  atomic_store_explicit(&written, 1, memory_order_relaxed);
  return 0;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, 0, work, 0);
  while (!atomic_load_explicit(&written, memory_order_relaxed)) {
  }
  const int seen = s.a;
  pthread_join(worker, 0);
  return seen == 2;
}
