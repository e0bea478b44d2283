// SPDX-License-Identifier: Apache-2.0
// Two threads that do what by_hand.c does.
#include <pthread.h>

void work_by_hand(void);

static void* work(void* unused) {
  work_by_hand();
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(threads + i, 0, work, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return 0;
}
