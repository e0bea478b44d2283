// SPDX-License-Identifier: Apache-2.0
// All strategies by name: the one table that the command line, its help and the checks of its options come from.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "explore/budget.h"
#include "explore/strategy.h"
#include "trace/dependence.h"

namespace treadle {

struct StrategyOptions {
  Schedule schedule;                         // what all executions have in common
  std::optional<std::uint32_t> preemptions;  // bound
  std::optional<std::uint32_t> depth;        // of PCT
  bool self_check = false;                   // also run what could be predicted, and compare
  unsigned jobs = 1;                         // workers: a strategy that thinks may do so for all of them at once
  /// What the program's code says, for mcr-s and mcr-s+.
  std::shared_ptr<const Dependence> dependence = std::make_shared<Dependence>();
};

struct StrategyEntry {
  std::string_view name;
  std::string_view help;
  bool tso_pso;           // honours the weak memory models
  bool preemptions;       // honours a bound on preemptions
  bool depth;             // honours a depth
  Budget default_budget;  // when the user gives none
  std::unique_ptr<Strategy> (*make)(const StrategyOptions& options);
  bool wants_dependence = false;  // StrategyOptions::dependence has to say what the program's code says
  bool wants_symbolic = false;    // the program has to be a symbolic build
  bool runs_paths = false;        // one execution of many: what the others could do has to be asked
};

std::span<const StrategyEntry> strategies();  // the first one is the default

/// The entry of that name, if it can do all that the options ask for; else one sentence.
Result<const StrategyEntry*> strategy_for(std::string_view name, const StrategyOptions& options);

}  // namespace treadle
