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

/// How far a search is.
struct Spent {
  std::uint64_t executions = 0;  // made
  std::uint64_t steps = 0;       // in these
  std::uint64_t out = 0;         // under way
};

/// A Budget being spent. Executions count from the very beginning of a search, time from when it was resumed last.
class Meter {
 public:
  Meter(const Budget& budget, unsigned workers) : budget_(budget), workers_(workers), start_(std::chrono::steady_clock::now()) {}

  void add_earlier(double seconds) { earlier_ = seconds; }  // of the search that is resumed
  double seconds() const { return earlier_ + since_start(); }

  /// When the time is up, as seconds() counts.
  std::optional<double> deadline() const;

  /// Why no more may be spent ("the limit of 1000 executions is reached"), or nothing.
  std::optional<std::string> spent(std::uint64_t executions) const;

  /// How many executions the next batch of a worker may have, given that so many may be out at once: its share of them, within the budget,
  /// and no more than run in a moment and fit the shared block, so that limits, Ctrl-C and the progress line are never late. 0: all
  /// that may be made are made or under way.
  std::size_t batch(std::size_t at_once, const Spent& so_far) const;

 private:
  double since_start() const;

  Budget budget_;
  unsigned workers_;
  std::chrono::steady_clock::time_point start_;
  double earlier_ = 0;
};

}  // namespace treadle
