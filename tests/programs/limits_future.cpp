// SPDX-License-Identifier: Apache-2.0
// A value that becomes ready at the thread's exit is handed over inside libstdc++.so, whose own atomics are not seen.
// LIMIT: strategy=optimal verdict=clean
// CHECK: strategy=optimal verdict=clean flags=-DAT_ONCE
#include <cassert>
#include <future>
#include <thread>

int main() {
  std::promise<int> promise;
  std::thread thread([&] {
#ifdef AT_ONCE
    promise.set_value(1);
#else
    promise.set_value_at_thread_exit(1);
#endif
  });
  assert(promise.get_future().get() == 1);
  thread.join();
}
