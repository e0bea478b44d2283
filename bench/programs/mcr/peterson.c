// SPDX-License-Identifier: Apache-2.0
// Peterson's mutual exclusion as in the tables: plain variables, loops that give up (which lets both in). -DUNBOUNDED: right under SC,
// wrong under TSO and PSO. (bench/programs/por has it with atomics, unbounded and in rounds: other events, other counts.)
// verdict: sc=assertion,data-race tso=assertion,data-race pso=assertion,data-race
// verdict: -DUNBOUNDED sc=data-race tso=assertion,data-race pso=assertion,data-race
// verdict: -DUNBOUNDED -DATOMIC sc=clean tso=assertion pso=assertion
// runs: -DQUIET optimal=76/122/206 rf=57/78/108 value=54/68/88 mcr-s+=54/68/88 se-mcr=54/68/88
// runs: -DQUIET -DSPIN=3 optimal=136/202/382 rf=109/142/212 value=106/128/184 mcr-s+=106/128/184 se-mcr=106/128/184
#include "shared.h"

static shared flag[2], turn, x;

static void *enter(void *argument) {
  const int me = number_of(argument), other = 1 - me;
  int looks = 0;
  set(flag[me], 1);
  set(turn, other);
  while (get(flag[other]) == 1 && get(turn) == other)
    if (tired(looks)) break;
  set(x, me + 1);
  claim(get(x) == me + 1);
  set(flag[me], 0);
  return NULL;
}

int main(void) { return run_both(enter, enter); }
