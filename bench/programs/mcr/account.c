// SPDX-License-Identifier: Apache-2.0
// Account: PAIRS threads deposit 100 without a lock, as many withdraw 100 under it; updates get lost. -DRING: PAIRS accounts instead, each
// with a thread that transfers to the next one under both locks: a deadlock as well. -DFIXED: the lock is taken by all, and in one order.
// verdict: sc=assertion,data-race tso=assertion,data-race pso=assertion,data-race
// verdict: -DFIXED sc=clean tso=clean pso=clean
// verdict: -DRING sc=assertion,data-race,deadlock tso=assertion,data-race,deadlock pso=assertion,data-race,deadlock
// verdict: -DRING -DFIXED sc=clean tso=clean pso=clean
// runs: -DQUIET optimal=288/288/288 rf=172/172/172 value=87/87/87 mcr-s+=87/87/87 se-mcr=87/87/87
// runs: -DQUIET -DRING optimal=11/11/11 rf=11/11/11 value=11/11/11 mcr-s+=11/11/11 se-mcr=11/11/11
#include "shared.h"

#ifndef PAIRS
#define PAIRS 2
#endif

struct account {
  pthread_mutex_t mutex;
  shared amount;
};

static struct account accounts[PAIRS];

static void lock(struct account *account) { pthread_mutex_lock(&account->mutex); }
static void unlock(struct account *account) { pthread_mutex_unlock(&account->mutex); }
static void change(struct account *account, int by) { set(account->amount, get(account->amount) + by); }

static void deposit(struct account *account, int sum) {
#ifdef FIXED
  lock(account);
  change(account, sum);
  unlock(account);
#else
  change(account, sum);
#endif
}

static void withdraw(struct account *account, int sum) {
  lock(account);
  change(account, -sum);
  unlock(account);
}

#ifdef RING
static void transfer(int from, int to, int sum) {
#ifdef FIXED
  int first = from < to ? from : to, second = from + to - first;
#else
  int first = from, second = to;
#endif
  lock(&accounts[first]);
  if (first == from) change(&accounts[from], -sum);
  lock(&accounts[second]);
  if (first != from) change(&accounts[from], -sum);
  change(&accounts[to], sum);
  unlock(&accounts[second]);
  unlock(&accounts[first]);
}

static void *manage(void *argument) {
  int me = number_of(argument);
  deposit(&accounts[me], 300);
  withdraw(&accounts[me], 100);
  transfer(me, (me + 1) % PAIRS, 99);
  return NULL;
}
#else
static void *depositor(void *unused) {
  (void)unused;
  deposit(&accounts[0], 100);
  return NULL;
}

static void *withdrawer(void *unused) {
  (void)unused;
  withdraw(&accounts[0], 100);
  return NULL;
}
#endif

int main(void) {
  for (int i = 0; i < PAIRS; i++) {
    pthread_mutex_init(&accounts[i].mutex, NULL);
    set(accounts[i].amount, 100);
  }
#ifdef RING
  for (int i = 0; i < PAIRS; i++) start(manage);
  join_all();
  for (int i = 0; i < PAIRS; i++) claim(get(accounts[i].amount) == 300);
#else
  for (int i = 0; i < PAIRS; i++) start(depositor);
  for (int i = 0; i < PAIRS; i++) start(withdrawer);
  join_all();
  claim(get(accounts[0].amount) == 100);
#endif
  for (int i = 0; i < PAIRS; i++) pthread_mutex_destroy(&accounts[i].mutex);
  return 0;
}
