// SPDX-License-Identifier: Apache-2.0
// The figure's test: three threads, a mutex, a condition variable, thread_local objects, exceptions; about 70 visible operations.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static std::condition_variable changed;
static std::deque<int> queue;
static int refused, sum;
static bool closed;

struct Scratch {
  std::vector<int> seen;
  ~Scratch() {
    std::lock_guard guard(lock);
    for (int value : seen) sum += value;
  }
};
static thread_local Scratch scratch;

static int accept(int value) {
  if (value % 3 == 0) throw std::invalid_argument("a multiple of three: " + std::to_string(value));
  return value;
}

static void produce() {
  for (int i = 1; i <= 6; ++i) {
    std::lock_guard guard(lock);
    queue.push_back(i);
    changed.notify_one();
  }
  std::lock_guard guard(lock);
  closed = true;
  changed.notify_all();
}

static void consume() {
  for (;;) {
    std::unique_lock guard(lock);
    changed.wait(guard, [] { return closed || !queue.empty(); });
    if (queue.empty()) return;
    int value = queue.front();
    queue.pop_front();
    guard.unlock();
    try {
      scratch.seen.push_back(accept(value));
    } catch (const std::invalid_argument &) {
      std::lock_guard again(lock);
      ++refused;
    }
  }
}

int main() {
  std::thread producer(produce), first(consume), second(consume);
  producer.join();
  first.join();
  second.join();
  return refused != 2 || sum != 1 + 2 + 4 + 5;
}
