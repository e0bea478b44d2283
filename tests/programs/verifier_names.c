// SPDX-License-Identifier: Apache-2.0
// The names of SV-COMP and KLEE are understood without being defined.
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion executions=251
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=69
#include <stddef.h>

#include "two.h"

void reach_error(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
void klee_make_symbolic(void *, size_t, const char *);
void klee_assume(size_t);

static _Atomic int counter;

static void *increment(void *unused) {
#ifdef FIXED
  __VERIFIER_atomic_begin();
#endif
  int seen = counter;
  counter = seen + 1;
#ifdef FIXED
  __VERIFIER_atomic_end();
#endif
  return NULL;
}

int main(void) {
  int any = __VERIFIER_nondet_int(), other;
  klee_make_symbolic(&other, sizeof other, "other");
  __VERIFIER_assume(any == any);
  klee_assume(other == other);
  run_two(increment, increment);
  if (counter != 2) reach_error();
  return 0;
}
