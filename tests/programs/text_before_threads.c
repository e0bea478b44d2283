// SPDX-License-Identifier: Apache-2.0
// A text that main compares before it creates anybody, of which nobody has told what it says: what main does then is known all the same.
// (Every order was run, as if each might end otherwise.)
// CHECK: strategy=optimal verdict=clean executions=140
// CHECK: strategy=value verdict=clean executions=2
// CHECK: strategy=rf verdict=clean executions=7
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

char mode[] = "thrice";
static atomic_int x;

static void* set(void* unused) {
  atomic_store(&x, 1);
  atomic_store(&x, 1);
  atomic_store(&x, 1);
  return unused;
}

int main(void) {
  if (strcmp(mode, "thrice") != 0) return 1;
  pthread_t a, b;
  pthread_create(&a, NULL, set, NULL);
  pthread_create(&b, NULL, set, NULL);
  const int seen = atomic_load(&x);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return seen > 1;
}
