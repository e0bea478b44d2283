// SPDX-License-Identifier: Apache-2.0
// The program of a `treadle check`, started once for each worker, and the searches made with it.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "cli/options.h"
#include "explore/portfolio.h"
#include "explore/search.h"
#include "explore/strategies.h"

namespace treadle {

class Searches {
 public:
  static Result<std::unique_ptr<Searches>> start(const Options& options, const std::string& program);

  /// By the strategy that the options name.
  Result<SearchResult> by_strategy();

  /// By whatever does most within the time.
  Result<PortfolioResult> by_budget(double seconds);

  Runner& program() { return *programs_.front(); }
  const Symbols& symbols() const { return *symbols_; }
  std::uint64_t binary_hash() const { return subjects_.front()->binary_hash(); }
  /// The first whose program could not be reset in place, or simply the first.
  const Subject& slowest() const;

 private:
  Searches(const Options& options, std::string path) : options_(options), path_(std::move(path)) {}
  Result<SearchResult> search_with(const StrategyEntry& entry, const Budget& budget, const std::string& folder);
  std::unique_ptr<Strategy> make(const StrategyEntry& entry);

  const Options& options_;
  std::string path_;  // of the program
  std::vector<std::unique_ptr<Subject>> subjects_;
  ThreadNumbers numbers_;
  std::deque<SubjectRunner> runners_;
  std::vector<Runner*> programs_;
  std::unique_ptr<Symbols> symbols_;
};

/// Can these options be met by the strategy they name? A Problem before anything is compiled.
Result<Done> can_be_done(const Options& options);

/// The strategy that they name has to know what each value was made of.
bool wants_symbolic_build(const Options& options);

/// Nothing was said about how to search, so that is ours to choose.
bool leaves_the_choice(const Options& options);

}  // namespace treadle
