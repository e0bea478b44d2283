// SPDX-License-Identifier: Apache-2.0
// A writer that only asked for reading.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race executions=251
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=151
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex lock;
static int shared;

int main() {
  int seen = 0;
  std::thread reader([&] {
    std::shared_lock guard(lock);
    seen = shared;
  });
  std::thread writer([] {
#ifdef FIXED
    std::unique_lock guard(lock);
#else
    std::shared_lock guard(lock);
#endif
    ++shared;
  });
  reader.join();
  writer.join();
  return seen > 1;
}
