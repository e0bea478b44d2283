// SPDX-License-Identifier: Apache-2.0
// The destructor of a joinable std::thread calls std::terminate.
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion executions=6
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=1
#include <thread>

int main() {
  std::thread worker([] {});
#ifdef FIXED
  worker.join();
#endif
}
