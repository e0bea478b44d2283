// SPDX-License-Identifier: Apache-2.0
#include <future>
#include <numeric>
#include <stdexcept>
#include <vector>

int main() {
  std::vector<int> numbers(64);
  std::iota(numbers.begin(), numbers.end(), 0);
  auto sum = [&](std::size_t from, std::size_t to) {
    if (from == to) throw std::invalid_argument("nothing to add");
    return std::accumulate(numbers.begin() + static_cast<long>(from), numbers.begin() + static_cast<long>(to), 0);
  };
  auto first = std::async(std::launch::async, sum, 0, 32);
  auto second = std::async(std::launch::async, sum, 32, 64);
  auto broken = std::async(std::launch::async, sum, 5, 5);
  int total = first.get() + second.get();
  try {
    broken.get();
  } catch (const std::invalid_argument &) {
    ++total;
  }
  return total != 2017;
}
