// SPDX-License-Identifier: Apache-2.0
// Table 2, dekker: mutual exclusion with P looks at the other's flag or at the turn at most, half of them by each thread, which then gives
// up. Which thread comes and who has the first turn are inputs. Right under sequential consistency; a store buffer lets both in.
// mpc: -DP=4 : nothing
// mpc: -DP=2 --model tso : assertion
// long-mpc: -DP=20 : nothing
// long-mpc: -DP=30 : nothing
#include "inputs.h"

#ifndef P
#define P 20
#endif

enum { looks = P / 2 };

static int wants[2], turn, inside;

static void leave(int self) {
  turn = 1 - self;
  wants[self] = 0;
}

static int enter(int self) {
  wants[self] = 1;
  for (int n = 0; n < looks; n++) {
    if (!wants[1 - self]) return 1;
    if (turn == self) continue;
    wants[self] = 0;
    while (n < looks && turn != self) n++;
    if (n == looks) return 0;
    wants[self] = 1;
  }
  wants[self] = 0;
  return 0;
}

static void *run(void *argument) {
  const int self = number_of(argument);
  if (!treadle_input_bool("comes") || !enter(self)) return NULL;
  int before = inside;
  assert(before == 0);
  inside = 1;
  inside = 0;
  leave(self);
  return NULL;
}

int main(void) {
  turn = treadle_input_bool("turn");
  start(0, run);
  start(1, run);
  join_all(2);
  return 0;
}
