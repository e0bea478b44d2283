// SPDX-License-Identifier: Apache-2.0
// Blocks made in one thread and given back in another, of many sizes, aligned, grown.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>
#include <vector>

struct alignas(64) Wide {
  int values[16] = {};
};

static std::atomic<Wide *> handed;
static std::atomic<std::uintptr_t> addresses;

int main() {
  auto make = [] {
    auto wide = std::make_unique<Wide>();
    addresses += reinterpret_cast<std::uintptr_t>(wide.get());
    delete handed.exchange(wide.release());
    std::vector<int> growing;
    for (int i = 0; i < 100; ++i) growing.push_back(i);
    void *block = std::malloc(10);
    block = std::realloc(block, 10000);
    addresses += reinterpret_cast<std::uintptr_t>(block);
    std::free(block);
  };
  std::thread a(make), b(make), c(make);
  a.join();
  b.join();
  c.join();
  delete handed.load();
  return 0;
}
