// SPDX-License-Identifier: Apache-2.0
// Two consumers of a std::vector wait with `if`: both are woken by the first item, and one of them takes it from the other. -DFIXED:
// `while`.
// predict: : assertion
// predict: -DFIXED : nothing
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static std::condition_variable filled;
static std::vector<int> items;

static void consume() {
  std::unique_lock guard(lock);
#ifdef FIXED
  while (items.empty()) filled.wait(guard);
#else
  if (items.empty()) filled.wait(guard);
#endif
  assert(!items.empty());
  items.pop_back();
}

static void produce() {
  std::lock_guard guard(lock);
  items.push_back(1);
  filled.notify_all();
}

int main() {
  std::thread consumers[] = {std::thread(consume), std::thread(consume)}, producers[] = {std::thread(produce), std::thread(produce)};
  for (std::thread &one : consumers) one.join();
  for (std::thread &one : producers) one.join();
}
