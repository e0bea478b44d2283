// SPDX-License-Identifier: Apache-2.0
// Whoever needs the table first makes it; nothing keeps two threads from finding none. -DFIXED: under a lock.
// predict: : data-race
// predict: -DFIXED : nothing
#include "threads.h"

static int storage[4];
static int *table;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int *get_table(void) {
#ifdef FIXED
  pthread_mutex_lock(&mutex);
#endif
  if (table == NULL) {
    for (int i = 0; i < 4; i++) storage[i] = i * i;
    table = storage;
  }
  int *found = table;
#ifdef FIXED
  pthread_mutex_unlock(&mutex);
#else
  (void)mutex;
#endif
  return found;
}

static void *look_up(void *argument) { return (void *)(intptr_t)get_table()[number_of(argument)]; }

int main(void) {
  start(look_up);
  start(look_up);
  join_all();
  return 0;
}
