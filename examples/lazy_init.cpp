// SPDX-License-Identifier: Apache-2.0
// Double-checked locking. On x86 the published pointer happens to arrive after what it points to, so no test ever fails; the relaxed
// order is still a race, and other processors and compilers will show it.
//   treadle check examples/lazy_init.cpp
//   treadle check --cflags -DFIXED examples/lazy_init.cpp
#include <atomic>
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

struct Settings {
  int port = 8080;
};

#ifdef FIXED
constexpr auto publish = std::memory_order_release, look = std::memory_order_acquire;
#else
constexpr auto publish = std::memory_order_relaxed, look = std::memory_order_relaxed;
#endif

static std::atomic<Settings *> current;
static std::mutex lock;

static Settings &settings() {
  Settings *seen = current.load(look);
  if (seen == nullptr) {
    std::lock_guard guard(lock);
    seen = current.load(look);
    if (seen == nullptr) {
      seen = new Settings;
      current.store(seen, publish);
    }
  }
  return *seen;
}

int main() {
  auto use = [] { assert(settings().port == 8080); };
  std::thread a(use), b(use);
  a.join();
  b.join();
  delete current.load();
}
