// SPDX-License-Identifier: Apache-2.0
// Prediction at scale: THREADS workers make some 100,000 events and about 1,000 pairs of accesses, and as many triples, that neither locks
// nor creating and joining of threads decide.
//
// predict: -DROUNDS=48 --only race : data-race
// predict: -DROUNDS=48 --only atomicity : atomicity
// Nearly all is done under locks: entries of a table, one lock for each bucket. Beside that slots are handed over by atomic flags (no race:
// who finds the flag set comes behind who filled the slot), a few counters are simply forgotten (races), and some transfers that are meant
// to be atomic lock twice (violations), others once.
#include <sched.h>
#include <stdatomic.h>

#include "threads.h"

#ifndef THREADS
#define THREADS 8
#endif
#ifndef ROUNDS
#define ROUNDS 1000
#endif
#ifndef EVERY  // so many rounds there is a hand-over
#define EVERY 8
#endif
#ifndef ONCE  // so many transfers of each thread that lock once
#define ONCE 4
#endif
#ifndef TWICE  // and that lock twice
#define TWICE 2
#endif

#ifndef TURN  // after so many rounds it is another thread's turn
#define TURN 10
#endif

enum { buckets = 16, entries = 256, slots = THREADS * (ROUNDS / EVERY + 1), accounts = 4 };

static pthread_mutex_t locks[buckets] = {[0 ... buckets - 1] = PTHREAD_MUTEX_INITIALIZER};
static long table[buckets][entries / buckets];
static long slot[slots];
static atomic_int full[slots];
static long hits, misses;
static pthread_mutex_t bank = PTHREAD_MUTEX_INITIALIZER;
static long account[accounts];

/// Whether it was empty decides how it goes on; with -DPLAIN nothing does.
static void update(unsigned key, long by) {
  const unsigned bucket = key % buckets, entry = key / buckets % (entries / buckets);
  pthread_mutex_lock(&locks[bucket]);
#ifdef PLAIN
  table[bucket][entry] += by;
#else
  if (table[bucket][entry] == 0)
    table[bucket][entry] = by + 1;
  else
    table[bucket][entry] += by;
#endif
  pthread_mutex_unlock(&locks[bucket]);
}

static void hand_over(int number, long value) {
  slot[number] = value;
  atomic_store(&full[number], 1);
}

static long take_over(int number) { return atomic_load(&full[number]) ? slot[number] : 0; }

static void transfer_once(int from, int to) {
  treadle_atomic_begin();
  pthread_mutex_lock(&bank);
  account[from] -= 1;
  account[to] += 1;
  pthread_mutex_unlock(&bank);
  treadle_atomic_end();
}

static void transfer_twice(int from) {
  treadle_atomic_begin();
  pthread_mutex_lock(&bank);
  const long found = account[from];
  pthread_mutex_unlock(&bank);
  pthread_mutex_lock(&bank);
  account[from] = found - 1;
  pthread_mutex_unlock(&bank);
  treadle_atomic_end();
}

static void *work(void *argument) {
  const int me = number_of(argument);
  long sum = 0;
  for (int i = 0; i < ROUNDS; i++) {
    update((unsigned)(i * 37 + me * 11), i);
    update((unsigned)(i * 5 + me), me);
    if (i % TURN == 0) sched_yield();
    if (i % EVERY == EVERY - 1) {
      const int turn = i / EVERY;
      hand_over(me * (ROUNDS / EVERY) + turn, i);
      sum += take_over((me + THREADS - 1) % THREADS * (ROUNDS / EVERY) + turn);
    }
    if (i % (ROUNDS / 4) == ROUNDS / 16) hits++;
    if (i % (ROUNDS / 4) == ROUNDS / 8) misses = me;
    if (i % (ROUNDS / ONCE) == ROUNDS / (3 * ONCE)) transfer_once(me % accounts, (me + 1) % accounts);
    if (i % (ROUNDS / TWICE) == 2 * ROUNDS / (3 * TWICE)) transfer_twice(me % accounts);
  }
  update((unsigned)me, sum);
  return NULL;
}

int main(void) {
  for (int i = 0; i < accounts; i++) account[i] = 100;
  for (int i = 0; i < THREADS; i++) start(work);
  join_all();
  return 0;
}
