// SPDX-License-Identifier: Apache-2.0
// POSIX semaphores and std::counting_semaphore, plain and timed.
#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <semaphore>
#include <thread>
#include <vector>

static sem_t items;
static std::counting_semaphore<4> space(2);
static std::atomic<int> given, taken, gave_up;

int main() {
  using namespace std::chrono_literals;
  sem_init(&items, 0, 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([] {
      if (space.try_acquire_for(1ms))
        ++given, sem_post(&items);
      else
        ++gave_up, sem_post(&items);
    });
    threads.emplace_back([] {
      sem_wait(&items);
      ++taken;
      space.release();
    });
  }
  for (auto &thread : threads) thread.join();
  sem_destroy(&items);
  return taken != 2 || given + gave_up != 2;
}
