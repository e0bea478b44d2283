// SPDX-License-Identifier: Apache-2.0
// A strategy chooses the next Schedule and learns from what it did. One file each.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "subject/subject.h"
#include "trace/schedule.h"
#include "trace/trace.h"

namespace treadle {

class Strategy {
 public:
  static constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

  virtual ~Strategy() = default;
  virtual std::optional<Schedule> next() = 0;       // nothing: the search space is exhausted
  virtual void learn_from(const Trace& trace) = 0;  // in the order of next()
  virtual Recording needs() const { return {}; }    // what must be recorded

  /// How many times next() may be called before learn_from(): these Schedules do not depend on each other's outcome.
  virtual std::size_t ahead() const { return 1; }

  /// What is known once next() has returned nothing; for one that samples, what `executions` samples are worth.
  virtual std::string covers() const = 0;
  virtual bool samples() const { return false; }  // never exhausts anything: only a budget ends it

  /// How many executions the whole search will take, as far as it can be told by now.
  virtual std::optional<double> estimate() const { return std::nullopt; }
};

}  // namespace treadle
