// SPDX-License-Identifier: Apache-2.0
// The answers to all questions about turns of one execution, found by one walk over its states (trace_walk.h), without those that lead to
// what is known.
#pragma once

#include <memory>
#include <optional>

#include "explore/path_execution.h"

namespace treadle {

class PathWalk {
 public:
  /// None: it is not known how to, or there are too many states.
  static std::unique_ptr<PathWalk> along(PathExecution& execution, InputTerms& terms, std::size_t most_states);

  /// Not those at which no thread has made as many steps as stand here for it, when besides these conditions (of the trace) hold. False:
  /// that cannot be told.
  bool exclude(std::uint32_t thread, std::uint32_t turn, const std::vector<std::uint32_t>& steps,
               const std::vector<ExpressionId>& conditions);

  /// One that is left. Unknown: it is not known whether there are inputs for it.
  Reply answer(std::uint32_t thread, std::uint32_t turn);

 private:
  struct Question {
    UnitId unit = 0;
    std::uint32_t event = 0;           // its first note stands there
    std::vector<ExpressionId> leaves;  // whose values the arrivals tell
    std::vector<TraceWalk::Arrival> arrivals;
  };

  explicit PathWalk(PathExecution& execution, InputTerms& terms) : execution_(execution), terms_(terms) {}
  Question& about(std::uint32_t thread, std::uint32_t turn) { return questions_[first_[thread] + turn]; }
  std::optional<TermValue> evaluate(ExpressionId id, const Question& question, const TraceWalk::Arrival& arrival);
  Reply reply(const Question& question, const TraceWalk::Arrival& arrival) const;

  PathExecution& execution_;
  InputTerms& terms_;
  std::vector<std::uint32_t> first_;  // by thread: its questions, one for each turn
  std::vector<Question> questions_;
};

}  // namespace treadle
