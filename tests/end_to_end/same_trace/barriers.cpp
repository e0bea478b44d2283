// SPDX-License-Identifier: Apache-2.0
// pthread barriers, std::barrier and std::latch.
#include <pthread.h>

#include <barrier>
#include <latch>
#include <thread>
#include <vector>

static pthread_barrier_t old_style;
static int completions;

int main() {
  pthread_barrier_init(&old_style, nullptr, 3);
  std::barrier new_style(3, []() noexcept { ++completions; });
  std::latch done(3);
  int cells[3] = {};
  auto work = [&](int me) {
    cells[me] = 1;
    pthread_barrier_wait(&old_style);
    int seen = cells[0] + cells[1] + cells[2];
    new_style.arrive_and_wait();
    cells[me] = seen;
    done.count_down();
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(work, i);
  done.wait();
  for (auto &thread : threads) thread.join();
  pthread_barrier_destroy(&old_style);
  return completions != 1 || cells[0] + cells[1] + cells[2] != 9;
}
