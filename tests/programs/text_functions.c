// SPDX-License-Identifier: Apache-2.0
// Texts and arrays that functions of libc read and write on behalf of their caller.
// CHECK: strategy=exhaustive flags=-DUSE=1 verdict=bugs kinds=data-race
// CHECK: strategy=exhaustive flags=-DUSE=2 verdict=bugs kinds=data-race
// CHECK: strategy=exhaustive flags=-DUSE=3 verdict=bugs kinds=data-race
// CHECK: strategy=exhaustive flags=-DUSE=4 verdict=bugs kinds=data-race
// CHECK: strategy=exhaustive flags=-DUSE=5 verdict=bugs kinds=data-race
// CHECK: strategy=exhaustive flags=-DUSE=6 verdict=bugs kinds=data-race
// CHECK: strategy=exhaustive flags=-DUSE=7 verdict=bugs kinds=crash message="outside of a block"
// CHECK: strategy=exhaustive flags="-DUSE=8" verdict=clean executions=1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char text[16] = "12 x";

static int later(const void* one, const void* other) { return *(const char*)one - *(const char*)other; }

static void* use(void* unused) {
  (void)unused;
#if USE == 1
  snprintf(text, sizeof text, "%d", 7);
#elif USE == 2
  if (atoi(text) != 12) puts("another number");
#elif USE == 3
  printf("it is %5.3s\n", text);
#elif USE == 4
  puts(text);
#elif USE == 5
  qsort(text, 4, 1, later);
#elif USE == 6
  sscanf(text, "%*d");
#elif USE == 7
  char* block = malloc(4);
  sprintf(block, "%d", 12345);
  free(block);
#else  // as far as they look, nothing changes
  if (strtol(text, NULL, 10) != 12) abort();
  printf("%.2s\n", text);
#endif
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, use, NULL);
#if USE == 8
  text[3] = 'y';
#elif USE != 7
  text[0] = '3';
#endif
  pthread_join(thread, NULL);
}
