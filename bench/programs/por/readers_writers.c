// SPDX-License-Identifier: Apache-2.0
// Readers and writers of Courtois, Heymans and Parnas, readers first: the first reader takes the room, the last one gives it back. The
// room is a flag, since a mutex must be unlocked by who locked it. RWLOCK: the same threads with pthread_rwlock (peers do not know it).
// Spins: an iteration that turns out fruitless is given up and counted as blocked, never as an execution.
// classes: -DREADERS=1 -DWRITERS=1 sc=2
// classes: -DREADERS=2 -DWRITERS=2 sc=48
// classes: -DREADERS=3 -DWRITERS=2 sc=768
// classes: -DREADERS=3 -DWRITERS=3 sc=3600
// classes: -DREADERS=3 -DWRITERS=3 -DRWLOCK sc=384
#include "threads.h"

#ifndef READERS
#define READERS 1
#endif
#ifndef WRITERS
#define WRITERS 1
#endif

static int shared;

#ifdef RWLOCK

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void begin_read(void) { pthread_rwlock_rdlock(&lock); }
static void end_read(void) { pthread_rwlock_unlock(&lock); }
static void begin_write(void) { pthread_rwlock_wrlock(&lock); }
static void end_write(void) { pthread_rwlock_unlock(&lock); }

#else

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int room;
static int readers;

static void begin_write(void) {
  int free = 0;
  while (!atomic_compare_exchange_strong(&room, &free, 1)) free = 0;
}

static void end_write(void) { atomic_store(&room, 0); }

static void begin_read(void) {
  pthread_mutex_lock(&mutex);
  if (++readers == 1) begin_write();
  pthread_mutex_unlock(&mutex);
}

static void end_read(void) {
  pthread_mutex_lock(&mutex);
  if (--readers == 0) end_write();
  pthread_mutex_unlock(&mutex);
}

#endif

static void *read_it(void *argument) {
  (void)argument;
  begin_read();
  int first = shared, again = shared;
  assert(first == again);
  end_read();
  return NULL;
}

static void *write_it(void *argument) {
  (void)argument;
  begin_write();
  shared++;
  end_write();
  return NULL;
}

int main(void) {
  start(read_it, READERS);
  start(write_it, WRITERS);
  join_all();
  assert(shared == WRITERS);
  return 0;
}
