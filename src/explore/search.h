// SPDX-License-Identifier: Apache-2.0
// The loop: ask the strategy, run, learn, look for what went wrong, replay it to be sure.
#pragma once

#include <set>

#include "explore/budget.h"
#include "explore/coverage.h"
#include "explore/outcomes.h"
#include "explore/progress.h"
#include "explore/runner.h"
#include "explore/story.h"
#include "explore/strategy.h"
#include "finding/finding.h"
#include "finding/symbols.h"

namespace treadle {

struct SearchOptions {
  Schedule schedule;  // model, races, inputs, seed, … that all executions have in common
  Budget budget;
  bool stop_at_first = false;
  bool outcomes = false;
  bool leaks = false;
  std::uint64_t guard_every = 100;  // determinism guard: repeat each so-manieth execution
};

/// A finding and the few steps of its witness that tell it.
struct Found {
  Finding finding;
  Story story;
};

struct SearchResult {
  Verdict verdict;
  Tally tally;
  std::vector<Found> findings;     // each replayed
  std::vector<Found> unconfirmed;  // a replay did not show them again
  std::set<Outcome> outcomes;
  double seconds = 0;
  std::optional<Problem> problem;  // what kept the search from going on; the rest is what it had by then
};

SearchResult search(Strategy& strategy, Runner& program, const Symbols& symbols, const SearchOptions& options);

}  // namespace treadle
