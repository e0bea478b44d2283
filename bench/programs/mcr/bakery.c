// SPDX-License-Identifier: Apache-2.0
// Lamport's bakery for two threads as in the tables: plain variables, loops that give up, and two threads with the same number both enter.
// -DTIE_BREAK -DUNBOUNDED: right under SC, wrong under TSO and PSO. (bench/programs/por has it with atomics, unbounded, for more threads
// and in rounds: other events, other counts.)
// verdict: sc=assertion,data-race tso=assertion,data-race pso=assertion,data-race
// verdict: -DTIE_BREAK -DUNBOUNDED sc=data-race tso=assertion,data-race pso=assertion,data-race
// verdict: -DTIE_BREAK -DUNBOUNDED -DATOMIC sc=clean tso=assertion pso=assertion
// runs: -DQUIET optimal=212/702/2210 rf=183/597/1540 value=160/436/768 mcr-s+=160/436/- se-mcr=160/436/-
#include "shared.h"

static shared entering[2], number[2], x;

static int goes_first(int j, int me) {
  int theirs = get(number[j]);
  if (theirs == 0) return 0;
  int mine = get(number[me]);
#ifdef TIE_BREAK
  return theirs < mine || (theirs == mine && j < me);
#else
  return theirs < mine;
#endif
}

static void *enter(void *argument) {
  const int me = number_of(argument);
  int doors = 0, turns = 0;
  set(entering[me], 1);
  int first = get(number[0]), second = get(number[1]);
  set(number[me], 1 + (first > second ? first : second));
  set(entering[me], 0);
  for (int j = 0; j < 2; j++) {
    while (get(entering[j]) == 1)
      if (tired(doors)) break;
    while (goes_first(j, me))
      if (tired(turns)) break;
  }
  set(x, me + 1);
  claim(get(x) == me + 1);
  set(number[me], 0);
  return NULL;
}

int main(void) { return run_both(enter, enter); }
