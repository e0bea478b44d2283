// SPDX-License-Identifier: Apache-2.0
// Symbolic predictive analysis, banking: THREADS clients transfer money from their account to their neighbour's, ROUNDS times, and keep
// their books; in the end no money may be missing. -DA: a balance is read and written under the account's lock, but not in one go.
// predict: -DTHREADS=2 : nothing
// predict: -DTHREADS=2 -DA : assertion
// predict: -DTHREADS=5 : nothing
// predict: -DTHREADS=5 -DA : assertion
// predict: -DTHREADS=10 : nothing
// predict: -DTHREADS=10 -DA : assertion
#include "threads.h"

#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef LINES  // of each client's statement, for the length of the trace
#define LINES 52
#endif

enum { initial = 100, vaults = 180 };

struct account {
  pthread_mutex_t lock;
  int balance;
};

static struct account accounts[THREADS] = {[0 ... THREADS - 1] = {PTHREAD_MUTEX_INITIALIZER, 0}};
static int reserve[vaults];  // money that nobody touches
static int books[THREADS][LINES];

static void change(struct account *account, int by) {
  pthread_mutex_lock(&account->lock);
  int balance = account->balance;
#ifdef A
  pthread_mutex_unlock(&account->lock);
  pthread_mutex_lock(&account->lock);
#endif
  account->balance = balance + by;
  pthread_mutex_unlock(&account->lock);
}

static void keep_books(int *book, int amount) {
  for (int i = 0; i < LINES; i++) book[i] = amount + i;
  for (int i = 1; i < LINES; i++) book[i] += book[i - 1];
}

static void *client(void *argument) {
  const int me = number_of(argument);
  for (int round = 1; round <= ROUNDS; round++) {
    change(&accounts[me], -round);
    change(&accounts[(me + 1) % THREADS], round);
    if (round == 1) keep_books(books[me], round);
  }
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
  assert(total == (THREADS + vaults) * initial);
  return 0;
}
