// SPDX-License-Identifier: Apache-2.0
// Two producers and two consumers over a bounded queue with a lock, and something to compute for each item: the shape of pbzip2.
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Queue {
  std::mutex lock;
  std::condition_variable changed;
  std::deque<std::string> items;
  unsigned producers = 2;

  void put(std::string item) {
    std::unique_lock hold(lock);
    changed.wait(hold, [&] { return items.size() < 16; });
    items.push_back(std::move(item));
    changed.notify_all();
  }
  bool take(std::string& item) {
    std::unique_lock hold(lock);
    changed.wait(hold, [&] { return !items.empty() || producers == 0; });
    if (items.empty()) return false;
    item = std::move(items.front());
    items.pop_front();
    changed.notify_all();
    return true;
  }
};

std::uint32_t digest(const std::string& text) {
  std::uint32_t crc = ~0u;
  for (unsigned char c : text) {
    crc ^= c;
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  return ~crc;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
  Queue queue;
  std::uint32_t sums[2] = {};
  std::vector<std::thread> threads;
  for (int p = 0; p < 2; ++p)
    threads.emplace_back([&, p] {
      for (int i = 0; i < 400 * rounds; ++i) queue.put(std::string(4000, static_cast<char>('a' + (i + p) % 26)));
      std::lock_guard hold(queue.lock);
      --queue.producers;
      queue.changed.notify_all();
    });
  for (int c = 0; c < 2; ++c)
    threads.emplace_back([&, c] {
      for (std::string item; queue.take(item);) sums[c] += digest(item);
    });
  for (std::thread& thread : threads) thread.join();
  std::printf("%u\n", sums[0] + sums[1]);
}
