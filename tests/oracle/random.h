// SPDX-License-Identifier: Apache-2.0
// Seeded random numbers that are the same on every machine (the distributions of the standard library are not).
#pragma once

#include <cstdint>

namespace oracle {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {  // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  int below(int bound) { return int(next() % std::uint64_t(bound)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool percent(int chance) { return below(100) < chance; }

 private:
  std::uint64_t state_;
};

}  // namespace oracle
