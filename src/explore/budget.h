// SPDX-License-Identifier: Apache-2.0
// How much a search may cost. Looked at before every batch, and batches are cut to what is left.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace treadle {

struct Budget {
  std::optional<std::uint64_t> executions{};
  std::optional<double> seconds{};
  std::uint32_t steps = 100'000;               // of one execution; beyond it is cut off
  std::optional<std::uint32_t> preemptions{};  // of one execution; schedules with more are left out
};

/// A Budget being spent.
class Meter {
 public:
  explicit Meter(const Budget& budget) : budget_(budget), start_(std::chrono::steady_clock::now()) {}

  double seconds() const;

  /// Why no more may be spent ("the limit of 1000 executions is reached"), or nothing.
  std::optional<std::string> spent(std::uint64_t executions) const;

  /// How many executions the next batch may have: what is left of the budget, and no more than run in a moment and fit the shared block, so
  /// that limits, Ctrl-C and the progress line are never late.
  std::size_t batch(std::size_t possible, std::uint64_t executions, std::uint64_t steps) const;

 private:
  Budget budget_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace treadle
