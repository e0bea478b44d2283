// SPDX-License-Identifier: Apache-2.0
// One run, what it implies, and a replay of each prediction: only what was seen to fail is a finding.
#pragma once

#include <optional>

#include "explore/runner.h"
#include "finding/symbols.h"
#include "report/predict_result.h"

namespace treadle {

struct ForeseeRequest {
  Schedule schedule;  // of the run to look at; every plain access is a step
  PredictOptions predict;
  bool leaks = false;
  bool symbolic = false;  // the program was built to leave expressions
};

/// Without program, verdict's program and carrier: the caller's to fill in.
Result<PredictResult> foresee(const ForeseeRequest& request, Runner& program, const Symbols& symbols, Trace& looked_at);

/// The schedule of an execution whose plain accesses were no steps, in which they are: `trace` has recorded them.
Schedule with_plain_steps(const Schedule& schedule, const Trace& trace);

}  // namespace treadle
