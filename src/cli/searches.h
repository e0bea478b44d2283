// SPDX-License-Identifier: Apache-2.0
// The program of a `treadle check`, started once for each worker, and the searches made with it.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "cli/options.h"
#include "explore/branch_coverage.h"
#include "explore/path_keeper.h"
#include "explore/portfolio.h"
#include "explore/search.h"
#include "explore/strategies.h"
#include "subject/ways_taken.h"

namespace treadle {

/// What was read of a program's files, and which: that takes longer than a short search.
struct KnownProgram {
  std::vector<LoadedObject> objects;
  std::unique_ptr<Symbols> symbols;
  std::shared_ptr<const Dependence> dependence{};  // once somebody has asked
  std::vector<std::unique_ptr<Subject>> idle{};    // programs that were started, and that nobody uses
};

class Searches {
 public:
  /// `known` is used if it is of the same objects at the same places.
  static Result<std::unique_ptr<Searches>> start(const Options& options, const std::string& program,
                                                 std::shared_ptr<KnownProgram> known = {});

  /// Nothing can be searched with it any more: what was started for it is there for the next that is given what is known.
  void end() { known_->idle = std::move(subjects_); }

  /// By the strategy that the options name.
  Result<SearchResult> by_strategy();

  /// By whatever does most within the time.
  Result<PortfolioResult> by_budget(double seconds);

  Runner& program() { return *programs_.front(); }
  const Symbols& symbols() const { return *known_->symbols; }
  std::shared_ptr<KnownProgram> known_program() const { return known_; }
  std::uint64_t binary_hash() const { return subjects_.front()->binary_hash(); }
  /// What all searches so far have taken of the program's branches; unknown_because is the caller's to fill in.
  BranchCoverage coverage() const;
  /// The first whose program could not be reset in place, or simply the first.
  const Subject& slowest() const;

 private:
  Searches(const Options& options, std::string path) : options_(options), path_(std::move(path)) {}
  Result<SearchResult> search_with(const StrategyEntry& entry, const Budget& budget, const std::string& folder);
  std::unique_ptr<Strategy> make(const StrategyEntry& entry);
  bool lists_paths() const;
  std::shared_ptr<const Dependence> dependence(std::string_view asked_by);

  const Options& options_;
  std::string path_;  // of the program
  std::vector<std::unique_ptr<Subject>> subjects_;
  ThreadNumbers numbers_;
  std::deque<SubjectRunner> runners_;
  std::vector<Runner*> programs_;
  std::shared_ptr<KnownProgram> known_;
  std::unique_ptr<WaysTaken> ways_;    // when they are asked about
  std::vector<BranchWay> branches_;    // when they are asked about
  PathKeeper* path_keeper_ = nullptr;  // of the strategy made last
};

/// Can these options be met by the strategy they name? A Problem before anything is compiled.
Result<Done> can_be_done(const Options& options);

/// The strategy that they name has to know what each value was made of.
bool wants_symbolic_build(const Options& options);

/// Nothing was said about how to search, so that is ours to choose.
bool leaves_the_choice(const Options& options);

}  // namespace treadle
