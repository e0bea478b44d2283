// SPDX-License-Identifier: Apache-2.0
// Clocks, sleeps, timed waits and random numbers: all of them belong to the schedule.
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

static std::atomic<unsigned long> mix;

int main() {
  using namespace std::chrono_literals;
  std::timed_mutex lock;
  std::mutex plain;
  std::condition_variable never;
  auto work = [&] {
    std::random_device device;
    unsigned bytes = 0;
    getrandom(&bytes, sizeof bytes, 0);
    mix += device() ^ bytes ^ static_cast<unsigned>(rand()) ^ static_cast<unsigned>(random());
    std::unique_lock guard(lock, 3ms);
    if (guard) std::this_thread::sleep_for(2ms);
    mix += static_cast<unsigned long>(std::chrono::steady_clock::now().time_since_epoch().count());
    mix += static_cast<unsigned long>(time(nullptr)) + static_cast<unsigned long>(getpid());
    std::unique_lock waiting(plain);
    never.wait_for(waiting, 1ms);
  };
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
  return 0;
}
