// SPDX-License-Identifier: Apache-2.0
// Random numbers, time and identity come from the schedule: the guard that repeats every execution finds no difference.
// CHECK: strategy=random max=200 verdict=incomplete options="--guard-every 1"
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

static std::atomic<unsigned long> sum;

static void work() {
  std::random_device device;
  unsigned bytes = 0;
  getrandom(&bytes, sizeof bytes, 0);
  sum += device() + bytes + static_cast<unsigned>(rand()) + static_cast<unsigned>(random());
  sum += static_cast<unsigned long>(std::chrono::steady_clock::now().time_since_epoch().count());
  sum += static_cast<unsigned long>(time(nullptr) + getpid());
  sum += reinterpret_cast<unsigned long>(&bytes);
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
}
