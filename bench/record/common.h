/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for bench/record.py: each thread computes `work(seed, rounds)`; the sum is printed, so that nothing is optimised away. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t work(uint64_t seed, int rounds);

static int rounds;
static void* thread(void* seed) { return (void*)(uintptr_t)work((uint64_t)(uintptr_t)seed, rounds); }

static inline uint64_t next(uint64_t* x) {
  *x ^= *x << 13;
  *x ^= *x >> 7;
  *x ^= *x << 17;
  return *x;
}

int main(int argc, char** argv) {
  enum { threads = 2 };
  pthread_t all[threads];
  uint64_t sum = 0;
  rounds = argc > 1 ? atoi(argv[1]) : 1;
  for (uintptr_t i = 0; i < threads; ++i) pthread_create(&all[i], NULL, thread, (void*)(i + 1));
  for (int i = 0; i < threads; ++i) {
    void* part;
    pthread_join(all[i], &part);
    sum += (uintptr_t)part;
  }
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
