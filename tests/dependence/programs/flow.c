// SPDX-License-Identifier: Apache-2.0
// What is read goes through all that C has between a read and an event.
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int x, y, z, out[64];
static _Thread_local int kept;
static int table[4] = {3, 1, 0, 2};
static pthread_key_t key;
static char text[8] = "abc";

static __attribute__((noinline)) int twice(int n) { return n < 3 ? n * 2 : twice(n - 1); }
static __attribute__((noinline)) void put(atomic_int* where, int what) { *where = what; }
static __attribute__((noinline)) int pick(int n) {
  switch (n) {
    case 0:
      return 7;
    case 1:
      return y;
    default:
      return n;
  }
}

static void through_values(void) {
  int a = x, b = y;
  out[0] = a;
  out[1] = a > b ? a : b;
  out[2] = twice(a & 3);
  put(&out[3], b);
  int local[4] = {a, b, 1, 2};
  out[4] = ((volatile int*)local)[2];
  kept = b;
  out[5] = pick(a);
}

static void through_branches(void) {
  int a = x;
  if (a == 1) out[6] = 1;
  out[7] = 2;
  for (int i = 0; i < (a & 3); i++) out[8] = i;
  int n = 0;
  while (n < 4 && y != n) n++;
  out[9] = n;
  if (kept) out[10] = z;
  switch (z & 3) {
    case 0:
      out[11] = 1;
      break;
    case 1:
      out[12] = 1;  // falls through
    case 2:
      out[13] = a;
  }
  out[14] = 5;
}

static void through_addresses(void) {
  int a = x & 3;
  out[16 + table[a]] = 1;
  atomic_int* where = y ? &out[20] : &out[21];
  *where = 3;
  out[22] = 1;
  int expected = a;
  atomic_compare_exchange_strong(&z, &expected, 2);
  out[23] = expected;
}

static void through_libraries(void) {
  pthread_setspecific(key, (void*)(long)(x + 1));
  if (pthread_getspecific(key) == (void*)2) out[24] = 1;
  int* block = malloc(y ? 16 : 64);
  int* other = malloc(8);
  *other = 1;
  out[25] = *other;
  free(block);
  free(other);
  char copy[8];
  strcpy(copy, text);
  if (copy[1] == 'z') out[26] = 1;
  text[1] = 'z';
  out[27] = (int)strlen(text);
}

static jmp_buf back;
static void through_jumps(void) {
  if (setjmp(back) == 0) {
    if (x == 1) longjmp(back, 1);
    out[28] = 1;
  } else {
    out[29] = 1;
  }
  out[30] = 1;
}

static void* reader(void* which) {
  through_values();
  through_branches();
  through_addresses();
  through_libraries();
  if (which == 0) through_jumps();
  return (void*)(long)kept;
}

static void* writer(void* unused) {
  x = 1;
  y = 2;
  z = 1;
  x = 3;
  z = x;
  return unused;
}

int main(void) {
  pthread_t t[3];
  pthread_key_create(&key, 0);
  pthread_create(&t[0], 0, reader, 0);
  pthread_create(&t[1], 0, writer, 0);
  pthread_create(&t[2], 0, reader, (void*)(long)x);
  void* result;
  pthread_join(t[0], &result);
  if (result) out[31] = 1;
  pthread_join(t[1], 0);
  pthread_join(t[2], 0);
  return 0;
}
