// SPDX-License-Identifier: Apache-2.0
// What executions were asked, all together: how much it took, and what could not be answered.
#pragma once

#include <functional>

#include "explore/gaps.h"
#include "explore/path_execution.h"
#include "explore/strategy.h"

namespace treadle {

class Inquiries {
 public:
  /// `ask` asks the model of the execution, which may have to be made first.
  Reply ask(PathExecution& execution, const std::function<Reply()>& ask);
  void spend(double seconds) { counts_.seconds += seconds; }
  /// One that needed no solver.
  void count() { ++counts_.queries; }
  void tell(std::string gap) { gaps_.tell(std::move(gap)); }
  void give_up() { tell("questions that took the solver too long were given up"); }
  void add(const Inquiries& others);

  const SolverCounts& counts() const { return counts_; }
  const Gaps& gaps() const { return gaps_; }
  /// What was met that models of executions do not know.
  const Gaps& without_model() const { return without_model_; }

 private:
  SolverCounts counts_;
  Gaps gaps_, without_model_;
};

}  // namespace treadle
