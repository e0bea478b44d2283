// SPDX-License-Identifier: Apache-2.0
// Example(N), Fig. 3.9: the bug of Fig. 3.6 in a nutshell, both threads N times. Once, it fails under PSO only. Twice, the writer begins
// anew between the reader's looks at z and at x, which is an error under SC already (the papers do not count it).
// verdict: -DN=1 sc=data-race tso=data-race pso=assertion,data-race
// verdict: -DN=2 sc=assertion,data-race tso=assertion,data-race pso=assertion,data-race
// runs: -DN=1 -DQUIET optimal=3/3/38 rf=3/3/38 value=2/2/10 mcr-s+=2/2/10 se-mcr=2/2/10
// runs: -DN=2 -DQUIET optimal=105/105/13848 rf=105/105/13848 value=52/52/188 mcr-s+=52/52/188 se-mcr=52/52/188
// runs: -DN=3 -DQUIET optimal=4395/4395/- rf=4395/4395/- value=1016/1016/-
#include "shared.h"

#ifndef N
#define N 1
#endif

static shared x, y, z;

static void *read_point(void *unused) {
  (void)unused;
  for (int i = 0; i < N; i++) {
    if (get(z) == 1 && get(x) + 1 != get(y)) {
      int seen = get(x), also = get(y);  // printed
      (void)seen, (void)also;
      claim(!"inconsistent point");
    }
  }
  return NULL;
}

int main(void) {
  start(read_point);
  for (int i = 0; i < N; i++) {
    set(z, 0);
    set(x, 0);
    set(y, 0);
    set(x, 2);
    set(y, 3);
    set(z, 1);
  }
  join_all();
  return 0;
}
