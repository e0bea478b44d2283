// SPDX-License-Identifier: Apache-2.0
// A cache per thread, with constructor and destructor; the buggy twin shares one.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race executions=19
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=69
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> destroyed;

struct Cache {
  int hits = 0;
  ~Cache() { destroyed.fetch_add(1, std::memory_order_relaxed); }
};

#ifdef FIXED
static thread_local Cache cache;
#else
static Cache cache;
#endif

int main() {
  auto work = [] { ++cache.hits; };
  std::thread a(work), b(work);
  a.join();
  b.join();
#ifdef FIXED
  assert(destroyed == 2);
#endif
}
