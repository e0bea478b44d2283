// SPDX-License-Identifier: Apache-2.0
// The loop: ask the strategy, run, learn, look for what went wrong, replay it to be sure. With several workers each has the program to
// itself, in a process of its own; they share the strategy and what was found.
#pragma once

#include <set>
#include <span>

#include "explore/budget.h"
#include "explore/checkpoint.h"
#include "explore/coverage.h"
#include "explore/ledger.h"
#include "explore/outcomes.h"
#include "explore/path_list.h"
#include "explore/probes.h"
#include "explore/progress.h"
#include "explore/runner.h"
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
  std::uint64_t guard_every = 100;         // determinism guard: repeat each so-manieth execution
  CheckpointFolder* checkpoint = nullptr;  // goes on from what is there, and keeps it up to date
  double checkpoint_every = 10;            // seconds
  Size size = Size::Unknown;               // of the whole search, to be estimated by probes
};

/// How far the search was at some time.
struct Sample {
  double seconds = 0;
  std::uint64_t executions = 0;  // without those that were blocked
  std::uint64_t redundant = 0;   // of them; the others are of a class of their own
  std::uint64_t findings = 0;
  std::optional<double> estimate{};  // of the executions of the whole search
};

struct SearchResult {
  Verdict verdict;
  std::string open{};  // why something may happen that no execution has shown; empty: it cannot, as far as the strategy looks for it
  std::string gaps{};  // what of that the strategy itself has left out
  Tally tally;
  Counts counts;                   // of the strategy; the blocked ones are among tally.executions
  SolverCounts solver;             // likewise
  std::vector<Found> findings;     // each replayed
  std::vector<Found> unconfirmed;  // a replay did not show them again
  std::set<Outcome> outcomes;
  std::optional<PathList> paths{};   // of a strategy that explores paths, when somebody wants to see them
  double seconds = 0;                // with what an interrupted search had spent before
  std::optional<Estimate> estimate;  // of one that did not come to its end; never fewer executions than were made
  std::vector<Sample> samples{};     // in time's order, a few hundred at most; the last one is the end
  bool can_go_on = false;            // only time or the user ended it
  bool resumed = false;              // began from a checkpoint
  std::optional<Problem> problem;    // what kept the search from going on; the rest is what it had by then

  std::uint64_t executions() const { return tally.executions - counts.blocked; }
};

/// Was everything looked at that the strategy covers?
bool is_complete(const SearchResult& result);

/// One worker for each of `programs`.
SearchResult search(Strategy& strategy, std::span<Runner* const> programs, const Symbols& symbols, const SearchOptions& options);

}  // namespace treadle
