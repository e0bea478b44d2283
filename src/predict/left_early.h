// SPDX-License-Identifier: Apache-2.0
// Orders in which the program ends while a thread still runs that had ended before in the trace: nobody has waited for its end.
#pragma once

#include <vector>

#include "predict/predict.h"

namespace treadle {

struct LeftEarly {
  std::uint32_t thread = 0;         // that runs on
  std::uint64_t pc = 0;             // where the program ends
  std::vector<Decision> decisions;  // up to that, for a Schedule
  GivenInputs inputs;               // where they are free
};

struct LeftEarlyPredictions {
  std::vector<LeftEarly> found;
  std::uint64_t unanswered = 0;  // the solver ran out of time
};

LeftEarlyPredictions predict_left_early(const Trace& trace, const PredictOptions& options);

}  // namespace treadle
