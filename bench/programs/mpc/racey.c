// SPDX-License-Identifier: Apache-2.0
// Table 1, racey: threads mix their signature with elements of a shared array that the signature chooses, without any lock, so that
// almost every order gives another result. They meet at a barrier that is a counter, which each looks at CHECKS times at most. The
// assertion at the end claims that one result, which a few orders give, does not come out. -DELEMENTS and -DROUNDS make it larger.
// -DLAST: who comes last finds that out under the lock. Three threads that look at most eleven times then meet in 3 * 12 * 12 ways, which is
// the paper's number of paths: one of them is last and need not wait, each of the others has seen 0 to 10 times that it must, or has
// given up. What they mix (one element, so that indices are no ways) and the assertion come on top; docs/fidelity.md.
// mpc: -DCHECKS=2 : assertion
// long-mpc: -DCHECKS=10 : assertion
// mpc: -DLAST -DTHREADS=3 -DCHECKS=2 -DELEMENTS=1 -DRESULT=31 : nothing paths=27
#include "inputs.h"

#ifndef CHECKS
#define CHECKS 10
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef ELEMENTS
#define ELEMENTS 2
#endif

#ifndef RESULT  // when the second thread does all of its work between the two reads of the first
#define RESULT 30
#endif

#ifndef THREADS
#define THREADS 2
#endif

enum { threads_in_all = THREADS };

static unsigned element[ELEMENTS], signature[threads_in_all];
static int to_come = threads_in_all;
#ifdef LAST
static int last;  // nobody reads it
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned mix(unsigned a, unsigned b) { return (a + b * 7u) % 31u; }

static void meet(void) {
  pthread_mutex_lock(&lock);
  to_come--;
#ifdef LAST
  if (to_come == 0) last = 1;
#endif
  pthread_mutex_unlock(&lock);
  for (int n = 0; n < CHECKS && to_come != 0; n++) {
  }
}

static void *run(void *argument) {
  const int self = number_of(argument);
  meet();
  for (int round = 0; round < ROUNDS; round++) {
    unsigned number = signature[self];
    number = mix(number, element[number % ELEMENTS]);
    const unsigned second = number % ELEMENTS;
    number = mix(number, element[second]);
    element[second] = number;
    signature[self] = number;
  }
  return NULL;
}

int main(void) {
  for (int i = 0; i < ELEMENTS; i++) element[i] = (unsigned)i + 3;
  for (int i = 0; i < threads_in_all; i++) signature[i] = (unsigned)i + 1;
  for (int i = 0; i < threads_in_all; i++) start(i, run);
  join_all(threads_in_all);
  unsigned result = signature[0];
  for (int i = 1; i < threads_in_all; i++) result = mix(result, signature[i]);
  treadle_observe("result", result);
  assert(result != RESULT);
  return 0;
}
