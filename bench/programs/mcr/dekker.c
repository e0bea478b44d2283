// SPDX-License-Identifier: Apache-2.0
// Dekker's mutual exclusion as in the tables: plain variables, loops that give up (which lets both in). -DUNBOUNDED: right under SC, wrong
// under TSO and PSO. (bench/programs/por has it with atomics, unbounded and in rounds: other events, other counts.)
// verdict: sc=assertion,data-race tso=assertion,data-race pso=assertion,data-race
// verdict: -DUNBOUNDED sc=data-race tso=assertion,data-race pso=assertion,data-race
// verdict: -DUNBOUNDED -DATOMIC sc=clean tso=assertion pso=assertion
// runs: -DQUIET optimal=332/340/872 rf=227/230/444 value=84/86/154 mcr-s+=84/86/154 se-mcr=84/86/154
// runs: -DQUIET -DSPIN=2 optimal=1168/1176/3351 rf=813/816/1764 value=175/177/333 mcr-s+=175/177/333 se-mcr=175/177/333
// runs: -DQUIET -DSPIN=3 optimal=4205/4213/13147 value=318/320/616 mcr-s+=318/320/616 se-mcr=318/320/616
#include "shared.h"

static shared flag[2], turn, x;

static void *enter(void *argument) {
  const int me = number_of(argument), other = 1 - me;
  int looks = 0, turns = 0;
  set(flag[me], 1);
  while (get(flag[other]) == 1) {
    if (tired(looks)) break;
    if (get(turn) != me) {
      set(flag[me], 0);
      while (get(turn) != me)
        if (tired(turns)) break;
      set(flag[me], 1);
    }
  }
  set(x, me + 1);
  claim(get(x) == me + 1);
  set(turn, other);
  set(flag[me], 0);
  return NULL;
}

int main(void) { return run_both(enter, enter); }
