// SPDX-License-Identifier: Apache-2.0
// A witness, run again.
#pragma once

#include <vector>

#include "cli/options.h"
#include "explore/ledger.h"

namespace treadle {

/// Everything that a replay shows: the execution in full detail and what is wrong with it.
struct Replayed {
  Trace trace;
  std::vector<Found> findings;
};

/// A schedule that cannot be followed to its end is a Problem.
Result<Replayed> replay(const Schedule& schedule, Runner& program, const Symbols& symbols, const Options& options);

}  // namespace treadle
