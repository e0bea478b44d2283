// SPDX-License-Identifier: Apache-2.0
// A promise that dies without a value breaks; the exception arrives in get().
// CHECK: strategy=random max=200 verdict=bugs kinds=uncaught-exception
// CHECK: strategy=random max=200 verdict=incomplete flags=-DFIXED
#include <cassert>
#include <future>
#include <thread>

int main() {
  std::promise<int> promise;
  auto future = promise.get_future();
  std::jthread worker([promise = std::move(promise)]() mutable {
#ifdef FIXED
    promise.set_value(42);
#endif
  });
  assert(future.get() == 42);
}
