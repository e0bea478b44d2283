// SPDX-License-Identifier: Apache-2.0
// A bounded queue. The buggy one notifies one thread with a condition variable that producers and consumers share.
// CHECK: strategy=random max=5000 verdict=bugs kinds=deadlock message="everybody waits"
// CHECK: strategy=pct max=5000 verdict=bugs kinds=deadlock message="everybody waits" options="--depth 4"
// CHECK: strategy=random max=1000 verdict=incomplete flags=-DFIXED
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class Queue {
 public:
  void put(int item) {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [&] { return items_.empty(); });
    items_.push(item);
    notify();
  }
  int take() {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [&] { return !items_.empty(); });
    int item = items_.front();
    items_.pop();
    notify();
    return item;
  }

 private:
  void notify() {
#ifdef FIXED
    changed_.notify_all();
#else
    changed_.notify_one();
#endif
  }
  std::mutex lock_;
  std::condition_variable changed_;
  std::queue<int> items_;
};

int main() {
  Queue queue;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] { queue.put(1); });
    threads.emplace_back([&] { queue.take(); });
  }
  for (auto &thread : threads) thread.join();
}
