// SPDX-License-Identifier: Apache-2.0
#include "explore/branch_paths.h"

#include "base/hash.h"

namespace treadle {

void BranchPaths::add(const Turns& turns, bool counts) {
  std::vector<Labels> threads;
  for (std::size_t t = 0; t < turns.of_threads().size(); ++t) {
    Labels& labels = threads.emplace_back();
    Hash before;
    before.add(t);
    for (const Turn& turn : turns.of_threads()[t]) {
      auto& ways = ways_[before.value()];
      if (ways.insert(turn.label).second && ways.size() == 2) counted_ = 0;  // it makes a difference from now on
      before.add(turn.label);
      labels.push_back(turn.label);
    }
  }
  if (counts) executions_.push_back(std::move(threads));
}

std::uint64_t BranchPaths::hash_of(const std::vector<Labels>& threads) const {
  Hash path;
  for (std::size_t t = 0; t < threads.size(); ++t) {
    Hash before;
    before.add(t);
    path.add(t);
    for (const std::uint64_t label : threads[t]) {
      if (ways_.at(before.value()).size() > 1) path.add(label);
      before.add(label);
    }
  }
  return path.value();
}

std::uint64_t BranchPaths::paths() const {
  if (counted_ == 0) distinct_.clear();
  for (; counted_ < executions_.size(); ++counted_) distinct_.insert(hash_of(executions_[counted_]));
  return distinct_.size();
}

}  // namespace treadle
