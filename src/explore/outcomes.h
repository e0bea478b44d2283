// SPDX-License-Identifier: Apache-2.0
// The distinct combinations of values that completed executions observed (treadle_observe).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "trace/trace.h"

namespace treadle {

using Outcome = std::map<std::string, std::int64_t>;

class Outcomes {
 public:
  /// An execution that did not complete observed nothing: a deadlock, a crash or a failed assumption is no outcome.
  void collect(const Trace& trace);
  const std::set<Outcome>& distinct() const { return distinct_; }

 private:
  std::set<Outcome> distinct_;
};

}  // namespace treadle
