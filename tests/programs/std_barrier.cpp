// SPDX-License-Identifier: Apache-2.0
// CHECK: strategy=random max=300 verdict=bugs kinds=data-race
// CHECK: strategy=random max=300 verdict=incomplete flags=-DFIXED
// CHECK: strategy=mpc verdict=clean flags="--symbolic -DFIXED" covers="all inputs" executions=10
// CHECK: strategy=mpc verdict=bugs kinds=deadlock flags="--symbolic -DFIXED -DTOO_MANY"
// CHECK: strategy=optimal verdict=clean flags=-DFIXED executions=42
#include <barrier>
#include <cassert>
#include <thread>

static int cells[2], completions;

int main() {
#ifdef TOO_MANY
  const int parties = 3;
#else
  const int parties = 2;
#endif
  std::barrier barrier(parties, []() noexcept { ++completions; });
  auto phases = [&](int me) {
    cells[me] = 1;
#ifdef FIXED
    barrier.arrive_and_wait();
#endif
    int other = cells[!me];
    assert(other == 1 || other == 0);
#ifdef FIXED
    assert(other == 1);
#endif
  };
  std::thread a(phases, 0), b(phases, 1);
  a.join();
  b.join();
#ifdef FIXED
  assert(completions == 1);
#endif
}
