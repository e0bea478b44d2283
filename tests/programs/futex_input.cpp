// SPDX-License-Identifier: Apache-2.0
// Behind atomic::wait an assertion that fails for one input and in one order only.
// CHECK: strategy=mpc verdict=bugs kinds=assertion flags=--symbolic covers="all inputs"
// CHECK: strategy=mpc model=sc verdict=clean flags="--symbolic -DFIXED" covers="all inputs" executions=24
// CHECK: strategy=mpc model=tso verdict=clean flags="--symbolic -DFIXED" covers="all inputs" executions=24
// CHECK: strategy=mpc model=pso verdict=clean flags="--symbolic -DFIXED" covers="all inputs" executions=24
#include <treadle/treadle.h>

#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> stage;

int main() {
  const int wanted = treadle_input_range("wanted", 0, 9);
  std::thread waiter([&] {
    stage.wait(0);
    const int seen = stage.load();
#ifndef FIXED
    assert(seen != 2 || wanted != 7);
#else
    assert(seen == 1 || seen == 2);
#endif
  });
  stage = 1;
  stage.notify_one();
  stage = 2;
  waiter.join();
}
