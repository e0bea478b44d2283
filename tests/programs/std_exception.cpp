// SPDX-License-Identifier: Apache-2.0
// An exception that leaves a thread ends the process; unwinding runs destructors and releases the lock.
// CHECK: strategy=exhaustive verdict=bugs kinds=uncaught-exception message=boom executions=28
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=400
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex lock;

static void work() {
  std::lock_guard guard(lock);
  throw std::runtime_error("boom");
}

int main() {
  auto run = [] {
#ifdef FIXED
    try {
      work();
    } catch (const std::runtime_error &) {
    }
#else
    work();
#endif
  };
  std::thread a(run), b(run);
  a.join();
  b.join();
}
