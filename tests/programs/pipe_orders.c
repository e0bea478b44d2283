// SPDX-License-Identifier: Apache-2.0
// What is written before a pipe is written to may be read after it is read from; what is written afterwards may not. More than a pipe holds
// is passed without blocking anybody else.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race executions=5
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=5
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

enum { BYTES = 200000 };
static int ends[2];
static char out[BYTES], in[BYTES];
static int shared;

static void *writer(void *unused) {
#ifdef FIXED
  shared = 1;
#endif
  for (int i = 0; i < BYTES; i++) out[i] = (char)(i * 7);
  assert(write(ends[1], out, BYTES) == BYTES);
#ifndef FIXED
  shared = 1;
#endif
  close(ends[1]);
  return NULL;
}

int main(void) {
  assert(pipe(ends) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  long got = 0;
  while (got < BYTES) got += read(ends[0], in + got, BYTES - got);
  shared++;
  for (int i = 0; i < BYTES; i++) assert(in[i] == (char)(i * 7));
  assert(read(ends[0], in, 1) == 0);
  pthread_join(thread, NULL);
  return 0;
}
