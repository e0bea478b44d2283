// SPDX-License-Identifier: Apache-2.0
// Unannotated spin loops, a ticket lock, atomic::wait.
#include <atomic>
#include <thread>
#include <vector>

static std::atomic<int> next_ticket, serving, flag;
static int shared;

int main() {
  auto work = [] {
    int mine = next_ticket++;
    while (serving != mine) {
    }
    int now = ++shared;
    ++serving;
    if (now == 3) {
      flag = 1;
      flag.notify_all();
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(work);
  flag.wait(0);
  for (auto &thread : threads) thread.join();
  return shared != 3;
}
