// SPDX-License-Identifier: Apache-2.0
// Table 3, in the manner of successive over-relaxation: two threads make a row each from its neighbours, round by round, with a
// barrier in between that is a counter. Bugs: a thread does not wait when it comes first (1), and looks at the neighbour's row
// before that is made (2); the number of rounds is an input, and an odd one leaves the barrier in the wrong state (3). -DFIXED: a
// barrier of the library.
// mpc: : assertion
// mpc: -DFIXED : nothing
#include "inputs.h"

enum { rows = 2, most_rounds = 2 };

static int row[rows], made[rows];
#ifdef FIXED
static pthread_barrier_t barrier;
#else
static atomic_int arrived;
#endif

static void meet(void) {
#ifdef FIXED
  pthread_barrier_wait(&barrier);
#else
  if (atomic_fetch_add(&arrived, 1) == rows - 1) atomic_store(&arrived, 0);
#endif
}

static void *relax(void *argument) {
  const int self = number_of(argument), other = 1 - self;
  const int rounds = made[rows - 1] < 0 ? 0 : row[0] >= 0 ? 1 : most_rounds;
  for (int n = 0; n < rounds; n++) {
    const int neighbour = row[other];
    meet();
    row[self] = (row[self] + neighbour) / 2;
    made[self] = n + 1;
    meet();
    assert(made[other] >= n + 1);
  }
  return NULL;
}

int main(void) {
#ifdef FIXED
  pthread_barrier_init(&barrier, NULL, rows);
#endif
  row[0] = treadle_input_range("first", -4, 4);
  row[1] = 2;
  start(0, relax);
  start(1, relax);
  join_all(rows);
#ifdef FIXED
  pthread_barrier_destroy(&barrier);
#endif
  return 0;
}
