// SPDX-License-Identifier: Apache-2.0
// main leaves while one thread spins and another lets it go: what a spinner has read in vain makes no class of its own, also when there
// is no time left to look again. 12 classes: the spinner has not begun, has begun, has seen the flag or has ended; likewise the other.
// CHECK: strategy=exhaustive verdict=bugs among=misuse
// CHECK: strategy=optimal verdict=bugs among=misuse executions=12
// CHECK: strategy=dpor verdict=bugs among=misuse
// CHECK: strategy=value verdict=bugs among=misuse executions=12
// CHECK: strategy=optimal model=tso verdict=bugs among=misuse executions=12
// CHECK: strategy=optimal model=pso verdict=bugs among=misuse executions=12
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void* waits(void* unused) {
  while (!flag) {
  }
  return unused;
}

static void* lets_go(void* unused) {
  flag = 1;
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, waits, NULL);
  pthread_create(&b, NULL, lets_go, NULL);
  return 0;
}
