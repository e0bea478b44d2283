// SPDX-License-Identifier: Apache-2.0
// What is chosen once the prefix of the Schedule is used up.
#pragma once

#include "runtime/world.h"

namespace treadle {

/// Everything possible at one decision point, grouped by thread in ascending order.
struct Alternatives {
  static constexpr unsigned kMost = 1024;
  unsigned count = 0;
  TreadleDecision all[kMost];

  void add(TreadleDecisionKind kind, std::uint8_t thread, std::uint16_t argument) noexcept {
    if (count == kMost) return;
    // In one piece: it is read in one piece a moment later, and three small stores would have to reach the cache first (5 ns a step).
    const std::uint32_t word = kind | static_cast<std::uint32_t>(thread) << 8 | static_cast<std::uint32_t>(argument) << 16;
    __builtin_memcpy(&all[count++], &word, sizeof word);
  }
};

void policy_begin() noexcept;

/// Index of the alternative taken; there is at least one.
unsigned policy_choose(const Alternatives& alternatives) noexcept;

/// Does the job ask for a probe (abi/probe.h), and what weight has an alternative then, as a binary logarithm?
bool is_probe() noexcept;
std::uint16_t probe_weight(const TreadleDecision& d) noexcept;

/// A generator small enough for a hook path: splitmix64.
inline std::uint64_t next_random(std::uint64_t& state) noexcept {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

}  // namespace treadle
