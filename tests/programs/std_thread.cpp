// SPDX-License-Identifier: Apache-2.0
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race executions=19
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=151
#include <mutex>
#include <thread>

int main() {
  std::mutex lock;
  int counter = 0;
  auto increment = [&] {
#ifdef FIXED
    std::lock_guard guard(lock);
#endif
    ++counter;
  };
  std::thread a(increment), b(increment);
  a.join();
  b.join();
  return counter > 2;
}
