// SPDX-License-Identifier: Apache-2.0
// Lamport's fast mutual exclusion of two threads as in the tables: plain variables, loops that give up (which lets both in). -DSLIPS: with
// the slips of the papers' text (the second thread also writes 1 to y and waits for its own flag). -DUNBOUNDED: right under SC, wrong under
// TSO and PSO. (bench/programs/por has it with atomics, unbounded, for more threads: other events, other counts.)
// verdict: sc=assertion,data-race tso=assertion,data-race pso=assertion,data-race
// verdict: -DUNBOUNDED sc=data-race tso=assertion,data-race pso=assertion,data-race
// verdict: -DUNBOUNDED -DATOMIC sc=clean tso=assertion pso=assertion
// runs: -DQUIET optimal=742/778/4608 rf=360/363/2017 value=187/189/633 mcr-s+=187/189/633 se-mcr=187/189/633
// runs: -DQUIET -DSPIN=2 optimal=3004/3040/38288 value=297/299/1251 mcr-s+=297/299/- se-mcr=297/299/-
// runs: -DQUIET -DSLIPS optimal=901/1077/6103 rf=477/540/2648 value=121/123/311 mcr-s+=121/123/311 se-mcr=121/123/311
// runs: -DQUIET -DSLIPS -DSPIN=2 optimal=4468/5634/71581 value=188/190/573 mcr-s+=188/190/- se-mcr=188/190/-
#include "shared.h"

static shared flag[3], x, y, section;

#ifdef SLIPS
#define MARK 1
#define OTHER 2
#else
#define MARK me
#define OTHER (3 - me)
#endif

static void *enter(void *argument) {
  const int me = number_of(argument) + 1;
  int rounds = 0, busy = 0, others = 0, frees = 0;
  for (;;) {
    if (tired(rounds)) break;
    set(flag[me], 1);
    set(x, me);
    if (get(y) != 0) {
      set(flag[me], 0);
      while (get(y) != 0)
        if (tired(busy)) break;
      continue;
    }
    set(y, MARK);
    if (get(x) == me) break;
    set(flag[me], 0);
    while (get(flag[OTHER]) >= 1)
      if (tired(others)) break;
    if (get(y) == me) break;
    while (get(y) != 0)
      if (tired(frees)) break;
  }
  set(section, me);
  claim(get(section) == me);
  set(y, 0);
  set(flag[me], 0);
  return NULL;
}

int main(void) { return run_both(enter, enter); }
