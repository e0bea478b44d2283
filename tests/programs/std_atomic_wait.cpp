// SPDX-License-Identifier: Apache-2.0
// atomic::wait sleeps on a futex: a store without notify leaves it asleep.
// CHECK: strategy=exhaustive max=20000 verdict=bugs kinds=deadlock options="--preemptions 0" message="everybody waits" executions=2
// CHECK: strategy=random max=300 verdict=incomplete flags=-DFIXED
// CHECK: strategy=pct max=300 verdict=incomplete flags=-DFIXED
// CHECK: strategy=mpc verdict=bugs kinds=deadlock flags=--symbolic message="everybody waits" executions=5
// CHECK: strategy=mpc model=sc verdict=clean flags="--symbolic -DFIXED" covers="all inputs" executions=9
// CHECK: strategy=mpc model=tso verdict=clean flags="--symbolic -DFIXED" covers="all inputs" executions=9
// CHECK: strategy=mpc model=pso verdict=clean flags="--symbolic -DFIXED" covers="all inputs" executions=9
// CHECK: strategy=value verdict=clean flags=-DFIXED executions=9
// CHECK: strategy=optimal verdict=clean flags=-DFIXED executions=10
#include <atomic>
#include <thread>

static std::atomic<int> state;

int main() {
  std::thread waiter([] { state.wait(0); });
  std::thread setter([] {
    state = 1;
#ifdef FIXED
    state.notify_one();
#endif
  });
  waiter.join();
  setter.join();
}
