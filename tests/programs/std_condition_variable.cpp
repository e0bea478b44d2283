// SPDX-License-Identifier: Apache-2.0
// CHECK: strategy=exhaustive verdict=bugs kinds=lost-wakeup executions=129
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=141
// CHECK: strategy=random max=300 verdict=incomplete flags="-DFIXED -DTIMED"
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable ready;
static bool flag;

int main() {
  std::thread waiter([] {
    std::unique_lock guard(lock);
#if defined(TIMED)
    while (!ready.wait_for(guard, std::chrono::milliseconds(5), [] { return flag; })) {
    }
#elif defined(FIXED)
    ready.wait(guard, [] { return flag; });
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
