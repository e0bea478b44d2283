// SPDX-License-Identifier: Apache-2.0
// CHECK: strategy=random max=300 verdict=bugs kinds=lost-wakeup
// CHECK: strategy=random max=300 verdict=incomplete flags=-DFIXED
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex lock;
static std::condition_variable_any ready;
static bool flag;

int main() {
  std::thread waiter([] {
    std::shared_lock guard(lock);
#ifdef FIXED
    while (!flag) ready.wait(guard);
#else
    ready.wait(guard);
#endif
  });
  std::thread signaller([] {
    std::lock_guard guard(lock);
    flag = true;
    ready.notify_one();
  });
  waiter.join();
  signaller.join();
}
