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
      ways_[before.value()].insert(turn.label);
      before.add(turn.label);
      labels.push_back(turn.label);
    }
  }
  if (counts) executions_.push_back(std::move(threads));
  known_.reset();
}

std::uint64_t BranchPaths::paths() const {
  if (known_) return *known_;
  std::set<std::uint64_t> distinct;
  for (const auto& threads : executions_) {
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
    distinct.insert(path.value());
  }
  known_ = distinct.size();
  return *known_;
}

}  // namespace treadle
