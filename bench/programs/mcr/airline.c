// SPDX-License-Identifier: Apache-2.0
// Airline: main starts a seller for each of TICKETS tickets, one more than there are seats, until it sees that sales have stopped.
// -DUNLOCKED: sellers do not lock, and too few or too many are sold.
// verdict: -DTICKETS=3 sc=clean tso=clean pso=clean
// verdict: -DTICKETS=3 -DUNLOCKED sc=assertion,data-race tso=assertion,data-race pso=assertion,data-race
// runs: -DTICKETS=4 optimal=24/24/24 rf=24/24/24 value=24/24/24 mcr-s+=24/24/24 se-mcr=24/24/24
// runs: -DTICKETS=3 -DUNLOCKED -DQUIET optimal=108/108/108 rf=93/93/93 value=61/61/61 mcr-s+=61/61/61 se-mcr=61/61/61
#include "shared.h"

#ifndef TICKETS
#define TICKETS 6
#endif
enum { capacity = TICKETS - 1 };

static shared sold, stop_sales;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *sell(void *unused) {
  (void)unused;
#ifndef UNLOCKED
  pthread_mutex_lock(&mutex);
#endif
  if (get(sold) >= capacity)
    set(stop_sales, 1);
  else
    set(sold, get(sold) + 1);
#ifndef UNLOCKED
  pthread_mutex_unlock(&mutex);
#endif
  return NULL;
}

int main(void) {
  for (int i = 0; i < TICKETS && !get(stop_sales); i++) start(sell);
  join_all();
  claim(get(sold) == capacity);
  return 0;
}
