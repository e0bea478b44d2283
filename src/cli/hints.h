// SPDX-License-Identifier: Apache-2.0
// `treadle check --predict`: what one execution implies, as schedules for the search to run.
#pragma once

#include "explore/foresight.h"
#include "predict/predict.h"

namespace treadle {

/// `base` is what all executions of the search have in common. Regions that are meant to be atomic are left to `treadle predict`: an
/// execution does not fail by interfering with one.
Foresight::Ask ask_what_each_implies(const Schedule& base, Causality causality);

/// For a strategy that runs one execution of many: all of them fail if any of them can.
struct AskedOfPaths {
  Foresight::Ask ask;
  Foresight::Gaps gaps;
};
AskedOfPaths ask_what_each_path_implies(const Schedule& base);

}  // namespace treadle
