// SPDX-License-Identifier: Apache-2.0
// racey, after Hill and Xu's program for record and replay systems, as in the seed (H3, Table 6.4): threads mix the elements of an array
// and their own signatures without any synchronisation. One order of two accesses changes everything that follows, but no branch depends on
// it. What fails: the signature of the whole has a certain remainder; one run in ONE_IN, and none in which the threads follow one
// another. (The seed has 500, 1,000 and 1,500 iterations.) -DBRANCHES: which way a thread goes depends on what it read. record:
// -DITERATIONS=500 : assertion record: -DITERATIONS=1000 : assertion record: -DITERATIONS=1500 : assertion check: --races explore
// -DITERATIONS=2
#include <sched.h>

#include "provoke.h"

#ifndef ITERATIONS
#define ITERATIONS 500
#endif
#ifndef ONE_IN
#define ONE_IN 32
#endif
#ifndef THREADS
#define THREADS 4
#endif

enum { elements = 64, between_yields = 8 };

static shared element[elements], signature[THREADS];
static pthread_barrier_t all_here;

static int mix(int i, int j) { return (int)(((unsigned)i + (unsigned)j * 103995407u) % 103072243u); }

static void* churn(void* argument) {
  const int me = number_of(argument);
  pthread_barrier_wait(&all_here);
  for (int i = 0; i < ITERATIONS; i++) {
    int number = get(signature[me]);
    number = mix(number, get(element[number % elements]));
    const int to = number % elements;
    number = mix(number, get(element[to]));
#ifdef BRANCHES
    if (number % 3 == 0) number = mix(number, me);
#endif
    set(element[to], number);
    set(signature[me], number);
    if (i % between_yields == 0) (shuffle(), sched_yield());
  }
  return NULL;
}

int main(void) {
  pthread_barrier_init(&all_here, NULL, THREADS);
  for (int i = 0; i < elements; i++) set(element[i], mix(i, i));
  for (int i = 0; i < THREADS; i++) {
    set(signature[i], i + 1);
    start(churn);
  }
  join_all();
  pthread_barrier_destroy(&all_here);
  int all = get(signature[0]);
  for (int i = 1; i < THREADS; i++) all = mix(all, get(signature[i]));
  printf("%08x\n", (unsigned)all);
  assert(all % ONE_IN != 20 % ONE_IN);
  return 0;
}
