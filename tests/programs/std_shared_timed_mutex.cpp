// SPDX-License-Identifier: Apache-2.0
// try_lock_shared_for gives up; the buggy twin reads all the same.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race executions=175
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=175
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_timed_mutex lock;
static int shared;

int main() {
  using namespace std::chrono_literals;
  int seen = 0;
  std::thread writer([] {
    std::lock_guard guard(lock);
    ++shared;
  });
  std::thread reader([&] {
    std::shared_lock guard(lock, 5ms);
#ifdef FIXED
    if (!guard) return;
#endif
    seen = shared;
  });
  writer.join();
  reader.join();
  return seen > 1;
}
