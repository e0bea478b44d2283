// SPDX-License-Identifier: Apache-2.0
// std::atomic<std::shared_ptr> spins inside the library's headers. libstdc++ 12 lets its lock go with relaxed order after a load, which by the
// standard is a race with the next store; no user can mend it, and it counts as a release.
// CHECK: strategy=random max=200 verdict=bugs among=data-race,use-after-free
// CHECK: strategy=optimal verdict=clean flags=-DATOMIC
// CHECK: strategy=optimal verdict=clean flags="-DATOMIC -O2"
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

#ifdef ATOMIC
static std::atomic<std::shared_ptr<int>> current{std::make_shared<int>(1)};
static std::shared_ptr<int> look() { return current.load(); }
static void change() { current.store(std::make_shared<int>(2)); }
#else
static std::shared_ptr<int> current = std::make_shared<int>(1);
static std::shared_ptr<int> look() { return current; }
static void change() { current = std::make_shared<int>(2); }
#endif

int main() {
  std::thread writer(change);
  std::thread reader([] { assert(*look() >= 1); });
  writer.join();
  reader.join();
}
