// SPDX-License-Identifier: Apache-2.0
// CHECK: strategy=random max=300 verdict=bugs kinds=data-race
// CHECK: strategy=random max=300 verdict=incomplete flags=-DFIXED
#include <cassert>
#include <latch>
#include <thread>

static std::latch done(1);
static int result;

int main() {
  std::jthread worker([] {
    result = 42;
    done.count_down();
  });
#ifdef FIXED
  done.wait();
#endif
  assert(result == 42 || result == 0);
}
