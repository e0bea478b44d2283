// SPDX-License-Identifier: Apache-2.0
// STL-heavy C++ in two threads: maps, strings, vectors, sorting, a lock now and then.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

static std::mutex lock;
static std::size_t total;

static std::size_t words(unsigned seed) {
  std::map<std::string, std::vector<unsigned>> index;
  std::unordered_map<unsigned, std::string> names;
  for (unsigned i = 0; i < 3000; ++i) {
    seed = seed * 1664525 + 1013904223;
    const std::string word = "word number " + std::to_string(seed % 500);
    index[word].push_back(i);
    names.emplace(seed % 1000, word);
  }
  std::vector<std::pair<std::size_t, std::string>> ranking;
  for (const auto &[word, places] : index) ranking.emplace_back(std::accumulate(places.begin(), places.end(), std::size_t{0}), word);
  std::sort(ranking.rbegin(), ranking.rend());
  return ranking.front().first + names.size();
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
  auto work = [rounds] {
    for (int i = 0; i < rounds; ++i) {
      const std::size_t found = words(static_cast<unsigned>(i));
      std::lock_guard guard(lock);
      total += found;
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  return total == 0 && rounds > 0;
}
