// SPDX-License-Identifier: Apache-2.0
// CHECK: strategy=exhaustive verdict=bugs kinds=deadlock message="which it holds already" executions=1
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=1
#include <mutex>

#ifdef FIXED
static std::recursive_mutex lock;
#else
static std::mutex lock;
#endif

static int depth(int n) {
  std::lock_guard guard(lock);
  return n == 0 ? 0 : 1 + depth(n - 1);
}

int main() { return depth(2) != 2; }
