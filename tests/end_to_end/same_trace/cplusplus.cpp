// SPDX-License-Identifier: Apache-2.0
// Threads, containers and strings.
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

int main() {
  std::mutex lock;
  std::condition_variable changed;
  std::map<std::string, std::vector<int>> table;
  unsigned done = 0;
  auto work = [&](int me) {
    for (int i = 0; i < 3; ++i) {
      std::lock_guard guard(lock);
      table["key number " + std::to_string(i) + " of a good length"].push_back(me);
    }
    std::lock_guard guard(lock);
    ++done;
    changed.notify_all();
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(work, i);
  std::unique_lock guard(lock);
  changed.wait(guard, [&] { return done == 3; });
  return table.size() != 3;
}
