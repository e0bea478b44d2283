// SPDX-License-Identifier: Apache-2.0
// Whoever has found something in a std::deque lets the lock go before he takes it; meanwhile somebody empties it. -DFIXED: keeps the lock.
// predict: : assertion
// predict: -DFIXED : nothing
#include <cassert>
#include <deque>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::deque<int> queue{1, 2};
static int taken;

static void take() {
  std::unique_lock guard(lock);
  if (queue.empty()) return;
#ifndef FIXED
  guard.unlock();
  guard.lock();
#endif
  assert(!queue.empty());
  taken = queue.front();
  queue.pop_front();
}

static void clear() {
  std::lock_guard guard(lock);
  queue.clear();
}

int main() {
  std::thread taker(take), clearer(clear);
  taker.join();
  clearer.join();
}
