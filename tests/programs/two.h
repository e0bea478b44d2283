// SPDX-License-Identifier: Apache-2.0
// Starts two threads and waits for both: what most programs here do.
#pragma once
#include <pthread.h>
#include <stddef.h>

static inline void run_two(void *(*first)(void *), void *(*second)(void *)) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
