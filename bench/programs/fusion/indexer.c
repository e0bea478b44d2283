// SPDX-License-Identifier: Apache-2.0
// Symbolic predictive analysis, indexer: THREADS threads put four messages each into one hash table, one lock per entry, and take them out
// again. Threads t and t + 11 want the same entries, but one after the other they never meet. What is claimed is that an entry is free when
// its message comes: the entry of a thread that shares none, or, with -DA, of one that does. With 11 threads or fewer nobody can meet.
// predict: -DTHREADS=10 : nothing
// predict: -DTHREADS=15 : nothing
// predict: -DTHREADS=15 -DA : assertion
// predict: -DTHREADS=20 : nothing
// predict: -DTHREADS=20 -DA : assertion
// predict: -DTHREADS=25 : nothing
// predict: -DTHREADS=25 -DA : assertion
#include "threads.h"

#ifndef THREADS
#define THREADS 15
#endif
#ifndef LETTERS  // of a message, for the length of the trace
#define LETTERS 32
#endif

enum { size = 128, messages = 4 };

static int table[size];
static pthread_mutex_t slot[size] = {[0 ... size - 1] = PTHREAD_MUTEX_INITIALIZER};
static int text[THREADS][LETTERS];

// Message 11 is the first one of thread 0 and nobody else's; 44 is its last one, the third of thread 11 and the second of thread 22.
#ifdef A
enum { watched = 44 * 7 % size };
#else
enum { watched = 11 * 7 % size };
#endif

static int put(int at, int message) {
  pthread_mutex_lock(&slot[at]);
  const int found = table[at];
  if (at == watched) assert(found == 0);
  if (found == 0) table[at] = message;
  pthread_mutex_unlock(&slot[at]);
  return found == 0;
}

static void take(int at) {
  pthread_mutex_lock(&slot[at]);
  table[at] = 0;
  pthread_mutex_unlock(&slot[at]);
}

/// Numbers messages by what they say.
static int message_of(int *letters, int number) {
  for (int i = 0; i < LETTERS; i++) letters[i] = i == 0 ? number : i % 2;
  int sum = 0;
  for (int i = 0; i < LETTERS; i++) sum += letters[i];
  return sum - LETTERS / 2;
}

static void *index_messages(void *argument) {
  const int me = number_of(argument);
  int places[messages];
  for (int m = 0; m < messages; m++) {
    const int message = message_of(text[me], (m + 1) * 11 + me);
    places[m] = message * 7 % size;
    while (!put(places[m], message)) places[m] = (places[m] + 1) % size;
  }
  for (int m = 0; m < messages; m++) take(places[m]);
  return NULL;
}

int main(void) {
  for (int i = 0; i < THREADS; i++) start(index_messages);
  join_all();
  return 0;
}
