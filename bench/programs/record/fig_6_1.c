// SPDX-License-Identifier: Apache-2.0
// Fig. 6.1 of the seed, the bug of the electron microscope: main moves a point (x, y) and then says so (z); another thread believes z.
// What fails: z reaches memory before y, which PSO allows and SC and TSO do not. x86 never does it: -DPSO_MACHINE makes the program do
// itself what the store buffers of a machine with PSO may do (z before y, and a while between them); its recording belongs to the build
// without it as well, where only PSO explains it. (Its value: for how many microseconds.)
// record: -DPSO_MACHINE=20000 : assertion
// check: --races explore --model pso
#include "provoke.h"

static shared x = 1, y = 2, z;

#ifdef PSO_MACHINE
#define set_y_and_z(value)             \
  ({                                   \
    set(z, 1);                         \
    pause_without_a_call(PSO_MACHINE); \
    set(y, value);                     \
  })
#else
#define set_y_and_z(value) \
  ({                       \
    set(y, value);         \
    set(z, 1);             \
  })
#endif

static void* look(void* unused) {
  (void)unused;
  if (get(z) == 1) assert(get(x) + 1 == get(y));
  return NULL;
}

int main(void) {
  start(look);
  set(z, 0);
  set(x, get(x) + 1);
  const int moved = get(y) + 1;
  set_y_and_z(moved);
  join_all();
  return 0;
}
