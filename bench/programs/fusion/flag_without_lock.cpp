// SPDX-License-Identifier: Apache-2.0
// The flag that somebody waits for is set without the lock: between his look at it and his going to sleep. -DFIXED: with it.
// predict: : lost-wakeup
// predict: -DFIXED : nothing
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static std::atomic<bool> ready;

static void wait() {
  std::unique_lock guard(lock);
  while (!ready) changed.wait(guard);
}

static void set() {
#ifdef FIXED
  std::lock_guard guard(lock);
#endif
  ready = true;
  changed.notify_one();
}

int main() {
  std::thread waiter(wait), setter(set);
  waiter.join();
  setter.join();
}
