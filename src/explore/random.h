// SPDX-License-Identifier: Apache-2.0
// At each point one of the alternatives, each as likely as the others. Knows nothing, needs nothing, finds much.
#pragma once

#include "explore/strategy.h"

namespace treadle {

class Random final : public Strategy {
 public:
  /// `base.seed` determines the whole sequence.
  explicit Random(Schedule base);

  std::optional<Schedule> next() override;
  void learn_from(const Trace& trace) override;
  std::size_t ahead() const override { return any_number; }
  bool samples() const override { return true; }
  std::string covers() const override;

 private:
  Schedule base_;
  std::uint64_t seed_;
  std::uint64_t asked_ = 0, executions_ = 0;
};

/// The n-th of a sequence of seeds that have nothing to do with each other (splitmix64).
std::uint64_t nth_seed(std::uint64_t seed, std::uint64_t n);

}  // namespace treadle
