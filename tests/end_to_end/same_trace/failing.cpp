// SPDX-License-Identifier: Apache-2.0
// Executions that end badly are repeated exactly, too.
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex a, b;
static std::atomic<int> order;

int main() {
  std::thread left([] {
    std::lock_guard first(a);
    order = 1;
    std::lock_guard second(b);
  });
  std::thread right([] {
    if (order == 1) throw std::runtime_error("too late");
    std::lock_guard first(b);
    std::lock_guard second(a);
  });
  left.join();
  right.join();
}
