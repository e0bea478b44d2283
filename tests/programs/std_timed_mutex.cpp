// SPDX-License-Identifier: Apache-2.0
// try_lock_for gives up; the buggy twin does not look.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race executions=175
// CHECK: strategy=exhaustive verdict=clean flags=-DFIXED executions=175
#include <chrono>
#include <mutex>
#include <thread>

static std::timed_mutex lock;
static int shared;

int main() {
  using namespace std::chrono_literals;
  std::thread patient([] {
    std::lock_guard guard(lock);
    ++shared;
  });
  std::thread hasty([] {
    std::unique_lock guard(lock, 10ms);
#ifdef FIXED
    if (!guard) return;
#endif
    ++shared;
  });
  patient.join();
  hasty.join();
}
