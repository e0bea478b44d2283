// SPDX-License-Identifier: Apache-2.0
// Each thread announces itself and then looks for the other one. Under SC at most one of them overlooks the other; with store buffers both
// may, unless a fence stands in between. Half a word is announced, the whole word looked at: the own half comes out of the buffer.
// CHECK: strategy=exhaustive model=sc verdict=clean executions=251
// CHECK: strategy=exhaustive model=tso verdict=bugs kinds=assertion executions=3692
// CHECK: strategy=exhaustive model=pso verdict=bugs kinds=assertion executions=3692
// CHECK: strategy=exhaustive model=tso verdict=clean flags=-DFIXED executions=3431
// CHECK: strategy=exhaustive model=pso verdict=clean flags=-DFIXED executions=3431
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

#include "two.h"

static union {
  uint32_t both;
  uint16_t half[2];
} announced;
static int overlooked[2];

static void announce_and_look(int me) {
  __atomic_store_n(&announced.half[me], 1, __ATOMIC_RELEASE);
#ifdef FIXED
  atomic_thread_fence(memory_order_seq_cst);
#endif
  uint32_t seen = __atomic_load_n(&announced.both, __ATOMIC_ACQUIRE);
  assert((seen >> 16 * me & 0xffff) == 1);
  overlooked[me] = (seen >> 16 * !me & 0xffff) == 0;
}

static void *first(void *unused) {
  (void)unused;
  announce_and_look(0);
  return NULL;
}

static void *second(void *unused) {
  (void)unused;
  announce_and_look(1);
  return NULL;
}

int main(void) {
  run_two(first, second);
  assert(!(overlooked[0] && overlooked[1]));
  return 0;
}
