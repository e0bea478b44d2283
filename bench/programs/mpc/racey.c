// SPDX-License-Identifier: Apache-2.0
// Table 1, racey: threads mix their signature with elements of a shared array that the signature chooses, without any lock, so that
// almost every order gives another result. They meet at a barrier that is a counter, which each looks at CHECKS times at most. The
// assertion at the end claims that one result, which a few orders give, does not come out. -DELEMENTS and -DROUNDS make it larger.
// mpc: -DCHECKS=2 : assertion
// long-mpc: -DCHECKS=10 : assertion
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

enum { threads_in_all = 2 };

static unsigned element[ELEMENTS], signature[threads_in_all];
static int to_come = threads_in_all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned mix(unsigned a, unsigned b) { return (a + b * 7u) % 31u; }

static void meet(void) {
  pthread_mutex_lock(&lock);
  to_come--;
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
  start(0, run);
  start(1, run);
  join_all(2);
  const unsigned result = mix(signature[0], signature[1]);
  treadle_observe("result", result);
  assert(result != RESULT);
  return 0;
}
