// SPDX-License-Identifier: Apache-2.0
// A stop callback wakes a waiter; without it the request is not heard.
// CHECK: strategy=random max=300 verdict=bugs kinds=deadlock
// CHECK: strategy=random max=300 verdict=incomplete flags=-DFIXED
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

int main() {
  std::mutex lock;
  std::condition_variable_any wake;
  std::jthread worker([&](std::stop_token token) {
    std::unique_lock guard(lock);
#ifdef FIXED
    wake.wait(guard, token, [] { return false; });
#else
    while (!token.stop_requested()) wake.wait(guard);
#endif
  });
  worker.request_stop();
}
