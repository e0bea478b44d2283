// SPDX-License-Identifier: Apache-2.0
// call_once tries again after an exception; the buggy twin counts on the first try.
// CHECK: strategy=exhaustive verdict=bugs kinds=uncaught-exception executions=28
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=812
#include <atomic>
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag once;
static int tries, object;

static void make() {
  if (++tries == 1) throw std::runtime_error("not yet");
  object = 42;
}

static void use() {
#ifdef FIXED
  try {
    std::call_once(once, make);
  } catch (const std::runtime_error &) {
    std::call_once(once, make);
  }
#else
  std::call_once(once, make);
#endif
  assert(object == 42);
}

int main() {
  std::thread a(use), b(use);
  a.join();
  b.join();
  assert(tries == 2);
}
