// SPDX-License-Identifier: Apache-2.0
// Table 3, in the manner of Apache's cache of memory objects (bug 21287): each user gives its reference back and cleans up when it
// was the last, but looks at the count after it has taken from it, in two steps. Both clean up. An input says whether the object
// was complete. -DFIXED: one step.
// mpc: : assertion
// mpc: -DFIXED : nothing
#include "inputs.h"

static atomic_int references = 2, cleaned;
static int complete;

static void *give_back(void *unused) {
  (void)unused;
  if (!complete) return NULL;
#ifdef FIXED
  if (atomic_fetch_sub(&references, 1) == 1) {
#else
  atomic_fetch_sub(&references, 1);
  if (atomic_load(&references) == 0) {
#endif
    const int before = atomic_fetch_add(&cleaned, 1);
    assert(before == 0);
  }
  return NULL;
}

int main(void) {
  complete = treadle_input_bool("complete");
  start(0, give_back);
  start(1, give_back);
  join_all(2);
  return 0;
}
