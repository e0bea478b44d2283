// SPDX-License-Identifier: Apache-2.0
// std::atomic_flag as a spin lock, with test_and_set; the buggy one clears it too early.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race executions=265
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=265
#include <atomic>
#include <thread>

static std::atomic_flag taken;
static int shared;

static void work() {
  while (taken.test_and_set(std::memory_order_acquire)) {
  }
#ifdef FIXED
  ++shared;
  taken.clear(std::memory_order_release);
#else
  taken.clear(std::memory_order_release);
  ++shared;
#endif
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
}
