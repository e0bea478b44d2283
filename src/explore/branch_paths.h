// SPDX-License-Identifier: Apache-2.0
// How many paths were executed: what differs in turns counts, not how far somebody had come before a turn that only one way leads on from
// when another one failed.
#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "explore/turns.h"

namespace treadle {

class BranchPaths {
 public:
  /// `counts`: it is a path. One that is not shows ways all the same.
  void add(const Turns& turns, bool counts);
  std::uint64_t paths() const;

 private:
  using Labels = std::vector<std::uint64_t>;

  std::uint64_t hash_of(const std::vector<Labels>& threads) const;

  std::vector<std::vector<Labels>> executions_;                      // by thread
  std::unordered_map<std::uint64_t, std::set<std::uint64_t>> ways_;  // by all before it: how it went on
  mutable std::unordered_set<std::uint64_t> distinct_;               // of the first `counted_` executions
  mutable std::size_t counted_ = 0;
};

}  // namespace treadle
