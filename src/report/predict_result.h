// SPDX-License-Identifier: Apache-2.0
// Everything that a report may tell about a `treadle predict`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "explore/ledger.h"
#include "predict/predict.h"

namespace treadle {

/// The steps that matter, as they came in the run that was looked at and as they come in the one that fails.
struct TwoOrders {
  Story passing, failing;
};

struct Foretold {
  Found found;
  std::optional<TwoOrders> orders;  // none: the given run itself showed it
};

/// Thought through, but not seen.
struct Unconfirmed {
  FindingKind kind{};
  std::string message;
  std::string why;  // "the replay did not fail"
  SourceFrame location;
};

struct PredictResult {
  std::string program;
  std::string subject, folder;  // as for a CheckResult
  MemoryModel model = MemoryModel::Sc;
  Causality causal = Causality::Maximal;
  std::string note;  // why the model is not the one asked for, or empty
  Verdict verdict;
  std::vector<Foretold> findings;
  std::vector<Unconfirmed> unconfirmed;
  std::map<PredictionKind, Coverage> coverage;
  PredictStatistics statistics;
  std::uint64_t predictions = 0;
  std::uint64_t executions = 0;
  double seconds = 0, seconds_predicting = 0;
  std::string carrier, why_fork;
  std::string replay_options;
  std::optional<Problem> problem;
};

}  // namespace treadle
