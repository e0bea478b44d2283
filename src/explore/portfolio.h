// SPDX-License-Identifier: Apache-2.0
// A budget instead of a strategy: one search after another, chosen by what the ones before came to, and the strongest claim that any of
// them reached.
//
//   mpc       only where there are inputs to be tried: nothing else says anything on those that the program was not given
//   optimal   for a moment; most tests are done by then. Goes on when it thinks that it will finish.
//   pct       a sample, because bugs are often shallow
//   value     may finish where optimal does not: many schedules, few values
//   icb       whatever time is left: no preemption, then one, two, …; the claim is the bound completed
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "explore/search.h"

namespace treadle {

/// One search of a portfolio.
struct PhaseReport {
  std::string strategy;
  double seconds = 0;
  std::uint64_t executions = 0;
  VerdictKind verdict = VerdictKind::Incomplete;
  std::string covers;
};

struct PortfolioResult {
  SearchResult search;              // all of them together; the verdict is the strongest
  std::string strategy;             // the one that the verdict rests on
  std::vector<PhaseReport> phases;  // in their order; one that was gone on with counts once
};

/// Searches with this strategy for at most so many seconds. Asked for the same strategy again it goes on: its result then is that of all
/// its parts together.
using RunPhase = std::function<Result<SearchResult>(const std::string& strategy, double seconds)>;

struct PortfolioOptions {
  double seconds = 60;
  bool stop_at_first = false;
  bool weak_model = false;  // TSO, PSO: no reduction for icb
  bool all_inputs = false;  // are to be tried
  std::function<bool()> interrupted = [] { return false; };
};

Result<PortfolioResult> search_within(const PortfolioOptions& options, const RunPhase& run);

}  // namespace treadle
