// SPDX-License-Identifier: Apache-2.0
// Switches happen while exceptions are in flight: in destructors during unwinding and inside handlers.
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

static std::mutex lock;
static int unwound;

struct Witness {
  ~Witness() {
    std::lock_guard guard(lock);
    unwound += std::uncaught_exceptions();
  }
};

static void fall(int depth) {
  Witness witness;
  if (depth == 0) throw std::runtime_error("from the bottom of thread");
  fall(depth - 1);
}

int main() {
  auto work = [](int depth) {
    try {
      fall(depth);
    } catch (const std::runtime_error &error) {
      std::lock_guard guard(lock);
      try {
        throw std::logic_error(error.what() + std::string(", again"));
      } catch (...) {
        unwound += std::current_exception() != nullptr;
      }
    }
  };
  std::thread a(work, 2), b(work, 3), c(work, 1);
  a.join();
  b.join();
  c.join();
  return unwound != 3 + 4 + 2 + 3;
}
