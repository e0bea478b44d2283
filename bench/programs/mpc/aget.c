// SPDX-License-Identifier: Apache-2.0
// Table 3, in the manner of aget: THREADS download a part each of a file whose size is an input and add what they got to a shared
// count, with the lock; who resumes an interrupted download saves that count without it, so that bytes are missing or counted that
// are not there. -DFIXED: it takes the lock, and saves the parts too.
// mpc: -DTHREADS=1 : assertion
// mpc: -DTHREADS=2 : assertion
// mpc: -DTHREADS=1 -DFIXED : nothing
#include "inputs.h"

#ifndef THREADS
#define THREADS 2
#endif

enum { block = 10 };

static pthread_mutex_t written_lock = PTHREAD_MUTEX_INITIALIZER;
static int size, written, part[THREADS];
static int saved_written, saved_parts;

static void *download(void *argument) {
  const int self = number_of(argument), share = size / THREADS;
  int got = share < block ? share : block;
  pthread_mutex_lock(&written_lock);
  part[self] += got;
  written += got;
  pthread_mutex_unlock(&written_lock);
  return NULL;
}

static void *interrupted(void *unused) {
  (void)unused;
#ifdef FIXED
  pthread_mutex_lock(&written_lock);
#endif
  saved_written = written;
  for (int i = 0; i < THREADS; i++) saved_parts += part[i];
#ifdef FIXED
  pthread_mutex_unlock(&written_lock);
#endif
  return NULL;
}

int main(void) {
  size = treadle_input_range("size", 0, 100);
  for (int i = 0; i < THREADS; i++) start(i, download);
  start(THREADS, interrupted);
  join_all(THREADS + 1);
  assert(saved_written == saved_parts);
  return 0;
}
