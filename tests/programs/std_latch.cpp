// SPDX-License-Identifier: Apache-2.0
// CHECK: strategy=random max=300 verdict=bugs kinds=data-race
// CHECK: strategy=random max=300 verdict=incomplete flags=-DFIXED
// CHECK: strategy=mpc model=sc verdict=clean flags="--symbolic -DFIXED" covers="all inputs" executions=5
// CHECK: strategy=mpc model=tso verdict=clean flags="--symbolic -DFIXED" covers="all inputs" executions=5
// CHECK: strategy=mpc model=pso verdict=clean flags="--symbolic -DFIXED" covers="all inputs" executions=5
// CHECK: strategy=mpc verdict=bugs kinds=deadlock flags="--symbolic -DFIXED -DTOO_MANY"
// CHECK: strategy=optimal verdict=clean flags=-DFIXED executions=8
#include <cassert>
#include <latch>
#include <thread>

#ifdef TOO_MANY
static std::latch done(2);
#else
static std::latch done(1);
#endif
static int result;

int main() {
  std::jthread worker([] {
    result = 42;
    done.count_down();
  });
#ifdef FIXED
  done.wait();
#endif
  assert(result == 42 || result == 0);
}
