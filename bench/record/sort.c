/* SPDX-License-Identifier: Apache-2.0 */
/* Quicksort with insertion sort for small parts. */
#include "common.h"

static void insertion(uint32_t* a, long n) {
  for (long i = 1; i < n; ++i) {
    uint32_t x = a[i];
    long j = i;
    while (j > 0 && a[j - 1] > x) {
      a[j] = a[j - 1];
      --j;
    }
    a[j] = x;
  }
}

static void quick(uint32_t* a, long n) {
  while (n > 16) {
    uint32_t pivot = a[n / 2];
    long i = 0, j = n - 1;
    for (;;) {
      while (a[i] < pivot) ++i;
      while (a[j] > pivot) --j;
      if (i >= j) break;
      uint32_t t = a[i];
      a[i++] = a[j];
      a[j--] = t;
    }
    quick(a, j + 1);
    a += j + 1;
    n -= j + 1;
  }
  insertion(a, n);
}

static uint64_t work(uint64_t seed, int rounds) {
  enum { n = 200000 };
  uint32_t* a = malloc(n * sizeof *a);
  uint64_t sum = 0;
  for (int round = 0; round < 6 * rounds; ++round) {
    for (int i = 0; i < n; ++i) a[i] = (uint32_t)next(&seed);
    quick(a, n);
    sum += a[n / 3];
  }
  free(a);
  return sum;
}
