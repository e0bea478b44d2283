// SPDX-License-Identifier: Apache-2.0
// A vector that grows while another thread reads it.
// CHECK: strategy=random max=200 verdict=bugs among=data-race,use-after-free
// CHECK: strategy=random max=200 verdict=incomplete flags=-DFIXED
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static std::vector<std::string> names{"one", "two"};

int main() {
  std::thread writer([] {
#ifdef FIXED
    std::lock_guard guard(lock);
#endif
    names.push_back("a name that is too long for the small string");
  });
  std::size_t total = 0;
  std::thread reader([&] {
#ifdef FIXED
    std::lock_guard guard(lock);
#endif
    for (const auto &name : names) total += name.size();
  });
  writer.join();
  reader.join();
  return total < 6;
}
