// SPDX-License-Identifier: Apache-2.0
// The headers of the standard library that hold code, and some of their templates in use.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <iostream>
#include <list>
#include <locale>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <queue>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <stack>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <valarray>
#include <vector>
#if __cplusplus >= 201402L
#include <shared_mutex>
#endif
#if __cplusplus >= 201703L
#include <any>
#include <filesystem>
#include <optional>
#include <string_view>
#include <variant>
#endif
#if __cplusplus >= 202002L
#include <barrier>
#include <coroutine>
#include <latch>
#include <ranges>
#include <semaphore>
#include <span>
#include <stop_token>
#endif
#if __cplusplus > 202002L
#include <expected>
#include <spanstream>
#endif

template class std::vector<std::string>;
template class std::map<int, std::string>;
template class std::unordered_map<std::string, std::shared_ptr<int>>;
template class std::deque<double>;
template class std::function<int(std::string)>;
template class std::packaged_task<int(int)>;

std::string words(const std::string& text) {
  std::istringstream in(text);
  std::ostringstream out;
  std::set<std::string> seen;
  for (std::string word; in >> word;)
    if (std::regex_match(word, std::regex("[a-z]+")) && seen.insert(word).second) out << word << ' ';
  return out.str();
}

int workers(int n) {
  std::mutex mutex;
  std::condition_variable ready;
  std::queue<int> queue;
  auto sum = std::async(std::launch::async, [&] {
    int total = 0;
    for (int i = 0; i < n; i++) {
      std::unique_lock<std::mutex> lock(mutex);
      ready.wait(lock, [&] { return !queue.empty(); });
      total += queue.front();
      queue.pop();
    }
    return total;
  });
  for (int i = 0; i < n; i++) {
    std::lock_guard<std::mutex> lock(mutex);
    queue.push(i);
    ready.notify_one();
  }
  return sum.get();
}

#if __cplusplus >= 202002L
std::atomic<int> gate;
int twenty(std::span<const int> numbers) {
  std::jthread thread([](std::stop_token stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
  });
  std::counting_semaphore<4> semaphore(1);
  semaphore.acquire();
  std::latch latch(1);
  latch.count_down();
  std::barrier barrier(1);
  barrier.arrive_and_wait();
  gate.wait(1);
  std::atomic<std::shared_ptr<int>> shared(std::make_shared<int>(1));
  int total = *shared.load();
  for (int n : numbers | std::views::filter([](int x) { return x & 1; }) | std::views::transform([](int x) { return x * x; })) total += n;
  return total;
}
#endif
