/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix product, 192 x 192, in the order that vectorises. */
#include "common.h"
enum { n = 192 };

static void multiply(double (*restrict c)[n], double (*restrict a)[n], double (*restrict b)[n]) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double* row = c[i];
      row[j] = 0;
    }
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) c[i][j] += a[i][k] * b[k][j];
}

static uint64_t work(uint64_t seed, int rounds) {
  double (*a)[n] = malloc(sizeof(double[n][n])), (*b)[n] = malloc(sizeof(double[n][n])), (*c)[n] = malloc(sizeof(double[n][n]));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a[i][j] = (double)(next(&seed) % 100), b[i][j] = (double)(next(&seed) % 100);
  for (int round = 0; round < 20 * rounds; ++round) {
    multiply(c, a, b);
    a[round % n][0] += 1;
  }
  uint64_t sum = (uint64_t)c[3][5];
  free(a), free(b), free(c);
  return sum;
}
