// SPDX-License-Identifier: Apache-2.0
// What is read decides which functions are called, and whether they come back.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int x, y, out[64];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void (*handler)(int);

static __attribute__((noinline)) void leave(int n) {
  if (n == 2) pthread_exit((void*)1);
}
static __attribute__((noinline)) void deep(int n) {
  if (n > 0) deep(n - 1);
  leave(n + x);
}
static void one(int n) { out[0] = n; }
static void two(int n) {
  out[1] = n;
  leave(n);
  out[2] = n;
}
static void initialise(void) {
  if (x) out[3] = 1;
}
static int compare(const void* a, const void* b) {
  out[4] = *(const int*)a;
  return *(const int*)a - *(const int*)b;
}
static void by_value(struct { int a, b, c, d, e; } * unused) { (void)unused; }

static void* caller(void* unused) {
  out[5] = 1;
  handler = x ? one : two;
  out[6] = 1;
  handler(y);
  out[7] = 1;
  pthread_once(&once, initialise);
  out[8] = 1;
  deep(2);
  out[9] = 1;
  int list[3] = {y, 2, 1};
  qsort(list, 3, sizeof list[0], compare);
  out[10] = list[0];
  by_value(0);
  return unused;
}

static void* writer(void* unused) {
  x = 1;
  y = 3;
  x = 0;
  y = 2;
  return unused;
}

int main(void) {
  pthread_t t[3];
  pthread_create(&t[0], 0, caller, 0);
  pthread_create(&t[1], 0, writer, 0);
  pthread_create(&t[2], 0, x ? caller : writer, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  return out[10];
}
