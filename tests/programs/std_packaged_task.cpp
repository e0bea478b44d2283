// SPDX-License-Identifier: Apache-2.0
// An exception thrown by the task travels through the future; the buggy twin does not expect it.
// CHECK: strategy=random max=200 verdict=bugs kinds=uncaught-exception
// CHECK: strategy=random max=200 verdict=incomplete flags=-DFIXED
// CHECK: strategy=random max=200 model=tso races=explore verdict=incomplete flags=-DFIXED
// CHECK: strategy=random max=200 model=pso races=explore verdict=incomplete flags=-DFIXED
#include <cassert>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>

int main() {
  std::packaged_task<int(int)> task([](int n) -> int {
    if (n < 0) throw std::invalid_argument("negative");
    return n;
  });
  auto future = task.get_future();
  std::jthread worker(std::move(task), -1);
#ifdef FIXED
  try {
    future.get();
    assert(false);
  } catch (const std::invalid_argument &e) {
    assert(e.what() == std::string("negative"));
  }
#else
  future.get();
#endif
}
