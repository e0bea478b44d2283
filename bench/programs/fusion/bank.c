// SPDX-License-Identifier: Apache-2.0
// Predicting atomicity violations, bank: THREADS clients transfer money from their account to their neighbour's, which is meant to be
// atomic, but each access has its locks for itself. -DSAV: who comes second to an even account waits until the first is done with it, which
// leaves half of the violations. -DNAV: the same for all accounts, which leaves none. One client after the other, nobody ever waits.
// predict: -DTHREADS=2 --only atomicity : atomicity triples=8/4/4/4
// predict: -DTHREADS=4 --only atomicity : atomicity triples=16/8/8/8
// predict: -DTHREADS=6 --only atomicity : atomicity triples=24/12/12/12
// predict: -DTHREADS=8 --only atomicity : atomicity triples=32/16/16/16
// predict: -DTHREADS=2 -DSAV --only atomicity : atomicity triples=8/4/4/2
// predict: -DTHREADS=4 -DSAV --only atomicity : atomicity triples=16/8/8/4
// predict: -DTHREADS=6 -DSAV --only atomicity : atomicity triples=24/12/12/6
// predict: -DTHREADS=8 -DSAV --only atomicity : atomicity triples=32/16/16/8
// predict: -DTHREADS=2 -DNAV --only atomicity : nothing triples=8/4/4/0
// predict: -DTHREADS=4 -DNAV --only atomicity : nothing triples=16/8/8/0
// predict: -DTHREADS=6 -DNAV --only atomicity : nothing triples=24/12/12/0
// predict: -DTHREADS=8 -DNAV --only atomicity : nothing triples=32/16/16/0
// predict: -DTHREADS=4 -DSAV --only atomicity --causal-model over : unconfirmed:atomicity triples=16/8/8/8
// predict: -DTHREADS=4 -DNAV --only atomicity --causal-model over : unconfirmed:atomicity triples=16/8/8/8
#include "threads.h"

#ifndef THREADS
#define THREADS 2
#endif
#ifndef LINES  // of each client's statement, for the length of the trace
#define LINES 50
#endif

enum { initial = 100, vaults = 140 };

struct account {
  pthread_mutex_t lock;
  int balance;
};

static struct account accounts[THREADS] = {[0 ... THREADS - 1] = {PTHREAD_MUTEX_INITIALIZER, 0}};
static pthread_mutex_t bank = PTHREAD_MUTEX_INITIALIZER;
static int books[THREADS][LINES];
static int reserve[vaults];  // money that nobody touches

// An account is first used by the client with the lower number: as source by client 0 and as target by all others.
#if defined(SAV) || defined(NAV)
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t somebody_is_done = PTHREAD_COND_INITIALIZER;
static int done[THREADS];

static int is_guarded(int account) {
#ifdef NAV
  (void)account;
  return 1;
#else
  return account % 2 == 0;
#endif
}

static void wait_for_first(int account) {
  if (!is_guarded(account)) return;
  pthread_mutex_lock(&door);
  while (!done[account]) pthread_cond_wait(&somebody_is_done, &door);
  pthread_mutex_unlock(&door);
}

static void first_is_done(int account) {
  if (!is_guarded(account)) return;
  pthread_mutex_lock(&door);
  done[account] = 1;
  pthread_cond_broadcast(&somebody_is_done);
  pthread_mutex_unlock(&door);
}
#else
static void wait_for_first(int account) { (void)account; }
static void first_is_done(int account) { (void)account; }
#endif

static int balance(struct account *account) {
  pthread_mutex_lock(&bank);
  pthread_mutex_lock(&account->lock);
  const int found = account->balance;
  pthread_mutex_unlock(&account->lock);
  pthread_mutex_unlock(&bank);
  return found;
}

static void set_balance(struct account *account, int to) {
  pthread_mutex_lock(&bank);
  pthread_mutex_lock(&account->lock);
  account->balance = to;
  pthread_mutex_unlock(&account->lock);
  pthread_mutex_unlock(&bank);
}

static void transfer(int from, int to, int amount) {
  if (from != 0) wait_for_first(from);
  treadle_atomic_begin();
  set_balance(&accounts[from], balance(&accounts[from]) - amount);
  if (from == 0) first_is_done(from);
  if (to == 0) wait_for_first(to);
  set_balance(&accounts[to], balance(&accounts[to]) + amount);
  treadle_atomic_end();
  if (to != 0) first_is_done(to);
}

static void keep_books(int *book, int amount) {
  for (int i = 0; i < LINES; i++) book[i] = amount + i;
  for (int i = 1; i < LINES; i++) book[i] += book[i - 1];
}

static void *client(void *argument) {
  const int me = number_of(argument);
  transfer(me, (me + 1) % THREADS, me + 1);
  keep_books(books[me], me);
  return NULL;
}

int main(void) {
  for (int i = 0; i < vaults; i++) reserve[i] = initial;
  for (int i = 0; i < THREADS; i++) accounts[i].balance = initial;
  for (int i = 0; i < THREADS; i++) start(client);
  join_all();
  int total = 0;
  for (int i = 0; i < THREADS; i++) total += accounts[i].balance;
  for (int i = 0; i < vaults; i++) total += reserve[i];
  return total == (THREADS + vaults) * initial ? 0 : 2;
}
