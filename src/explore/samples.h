// SPDX-License-Identifier: Apache-2.0
// How a search went on, in a few hundred points however long it took: when there are too many, every other one is forgotten and the next
// ones are taken half as often.
#pragma once

#include <vector>

#include "explore/search.h"

namespace treadle {

class Samples {
 public:
  template <class Take>
  void take_if_due(Take take, double seconds) {
    if (seconds < next_) return;
    taken_.push_back(take());
    next_ = seconds + every_;
    if (taken_.size() < most) return;
    for (std::size_t i = 0; 2 * i < taken_.size(); ++i) taken_[i] = taken_[2 * i];
    taken_.resize((taken_.size() + 1) / 2);
    every_ *= 2;
  }

  const std::vector<Sample>& taken() const { return taken_; }

 private:
  static constexpr std::size_t most = 200;
  std::vector<Sample> taken_;
  double next_ = 0, every_ = 0.02;  // seconds
};

}  // namespace treadle
