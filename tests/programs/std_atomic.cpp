// SPDX-License-Identifier: Apache-2.0
// Compare-and-swap against load-modify-store, and atomics of every width.
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion flags=-DTYPE=int executions=251
// CHECK: strategy=exhaustive verdict=clean flags="-DTYPE=int -DFIXED" executions=301
// CHECK: strategy=exhaustive verdict=clean flags="-DTYPE=char -DFIXED" executions=301
// CHECK: strategy=exhaustive verdict=clean flags="-DTYPE=short -DFIXED" executions=301
// CHECK: strategy=exhaustive verdict=clean flags="-DTYPE=long -DFIXED" executions=301
// CHECK: strategy=exhaustive verdict=clean flags="-DTYPE=double -DFIXED" executions=301
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<TYPE> total;

static void add() {
#ifdef FIXED
  TYPE seen = total.load(std::memory_order_relaxed);
  while (!total.compare_exchange_strong(seen, static_cast<TYPE>(seen + 1))) {
  }
#else
  total = total + 1;
#endif
}

int main() {
  std::thread a(add), b(add);
  a.join();
  b.join();
  assert(total == 2);
}
