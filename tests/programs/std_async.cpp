// SPDX-License-Identifier: Apache-2.0
// CHECK: strategy=random max=200 verdict=bugs kinds=data-race
// CHECK: strategy=random max=200 verdict=incomplete flags=-DFIXED
#include <cassert>
#include <future>

int main() {
  int shared = 0;
  auto future = std::async(std::launch::async, [&] {
    shared = 1;
    return 42;
  });
#ifdef FIXED
  assert(future.get() == 42);
  assert(shared == 1);
#else
  int seen = shared;
  assert(future.get() == 42 && seen >= 0);
#endif
}
