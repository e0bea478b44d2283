// SPDX-License-Identifier: Apache-2.0
#include "explore/random.h"

#include <fmt/format.h>

namespace treadle {

std::uint64_t nth_seed(std::uint64_t seed, std::uint64_t n) {
  std::uint64_t z = seed + (n + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

Random::Random(Schedule base) : base_(std::move(base)), seed_(base_.seed) {
  base_.prefix.clear();
  base_.policy = Policy::Random;
}

std::optional<Schedule> Random::next() {
  base_.seed = nth_seed(seed_, asked_++);
  return base_;
}

void Random::learn_from(const Trace& trace) {
  ++executions_;
  if (trace.threads.size() > base_.threads.size()) base_.threads = trace.threads;
}

std::string Random::covers() const { return fmt::format("{} random schedule{} only", executions_, executions_ == 1 ? "" : "s"); }

}  // namespace treadle
