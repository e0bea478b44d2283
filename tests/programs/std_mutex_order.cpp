// SPDX-License-Identifier: Apache-2.0
// Opposite orders; FIXED takes both at once with scoped_lock.
// CHECK: strategy=exhaustive verdict=bugs kinds=deadlock executions=811
// CHECK: strategy=random max=300 verdict=incomplete flags=-DFIXED
#include <mutex>
#include <thread>

static std::mutex a, b;

static void both(std::mutex &first, std::mutex &second) {
#ifdef FIXED
  std::scoped_lock guard(first, second);
#else
  std::lock_guard one(first);
  std::lock_guard two(second);
#endif
}

int main() {
  std::thread left([] { both(a, b); });
  std::thread right([] { both(b, a); });
  left.join();
  right.join();
}
