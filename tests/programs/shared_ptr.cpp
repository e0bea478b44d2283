// SPDX-License-Identifier: Apache-2.0
// Copies of one shared_ptr may be used by several threads; one shared_ptr object may not.
// CHECK: strategy=random max=300 verdict=bugs among=data-race,use-after-free
// CHECK: strategy=random max=300 verdict=incomplete flags=-DFIXED
#include <cassert>
#include <memory>
#include <thread>

int main() {
  auto shared = std::make_shared<int>(42);
#ifdef FIXED
  std::thread a([mine = shared]() mutable { mine.reset(); });
#else
  std::thread a([&] { shared.reset(); });
#endif
  std::thread b([&] {
    auto copy = shared;
    if (copy) assert(*copy == 42);
  });
  a.join();
  b.join();
}
