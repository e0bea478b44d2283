// SPDX-License-Identifier: Apache-2.0
// The size of a search, estimated while it goes on: now and then an execution at random, and the mean of what they stand for. Unbiased
// (class_weight.h; of all schedules, the inverse of an execution's probability), with its standard error. The search hears nothing of
// them, but what they find is reported as whatever it finds itself.
//
// When they are made depends on how many executions the search has made, not on the clock: the same command does the same again.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "explore/class_weight.h"

namespace treadle {

/// What the number of a search's executions comes to, when nothing stops it.
enum class Size : std::uint8_t { Unknown, Schedules, Classes };
Size size_of_search(std::string_view strategy, bool bounded);

/// A mean and how far it may be off.
struct Mean {
  std::uint64_t count = 0;
  double mean = 0, squares = 0;  // sum of squared differences from it

  void add(double value) {
    const double difference = value - mean;
    mean += difference / static_cast<double>(++count);
    squares += difference * (value - mean);
  }
  double standard_error() const {
    const auto n = static_cast<double>(count);
    return count < 2 ? INFINITY : std::sqrt(squares / (n - 1) / n);
  }
};

class Probes {
 public:
  /// `base` gives everything but prefix and policy.
  Probes(Size of, Schedule base);

  /// The search goes on from so many executions.
  void begin_at(std::uint64_t executions) { begun_at_ = executions; }

  /// How many to make now that the search has made so many executions: a few at once, because changing over costs time.
  std::size_t due(std::uint64_t executions) const;
  Schedule next();
  void learn_from(Trace& trace);  // and leaves it as that of any other execution

  /// Nothing: too few, or nothing that they can count.
  std::optional<Mean> size() const;

 private:
  Size of_;
  Schedule base_;
  std::uint64_t seed_, begun_at_ = 0, asked_ = 0;
  ClassWeight weight_;
  Mean mean_;
};

}  // namespace treadle
