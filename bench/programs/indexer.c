// SPDX-License-Identifier: Apache-2.0
// Threads insert four messages each into one hash table (after Flanagan and Godefroid 2005). As in the seed (Inspect, Table 1) a function
// with a mutex, one per slot, stands in for the compare-and-swap. Threads t and t + 11 meet in three slots, nobody else meets.
// Classes: 1 for THREADS <= 11, then 8^(THREADS - 11): 12: 8, 13: 64, 14: 512, 15: 4096, 16: 32768.
// classes: -DTHREADS=12 sc=8
// classes: -DTHREADS=14 sc=512
// classes: -DTHREADS=15 sc=4096
// classes: -DTHREADS=16 sc=32768
#include <pthread.h>
#include <stddef.h>

#ifndef THREADS
#define THREADS 12
#endif

enum { SIZE = 128, MESSAGES = 4 };

static int table[SIZE];
static pthread_mutex_t slot[SIZE] = {[0 ... SIZE - 1] = PTHREAD_MUTEX_INITIALIZER};

static int compare_and_swap(int at, int expected, int desired) {
  int done = 0;
  pthread_mutex_lock(&slot[at]);
  if (table[at] == expected) {
    table[at] = desired;
    done = 1;
  }
  pthread_mutex_unlock(&slot[at]);
  return done;
}

static void *insert(void *argument) {
  const int id = (int)(long)argument;
  for (int m = 1; m <= MESSAGES; m++) {
    const int message = m * 11 + id;
    int at = message * 7 % SIZE;
    while (!compare_and_swap(at, 0, message)) at = (at + 1) % SIZE;
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, insert, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  return 0;
}
