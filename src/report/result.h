// SPDX-License-Identifier: Apache-2.0
// Everything that a report may tell about a `treadle check`.
#pragma once

#include <string>

#include "explore/branch_coverage.h"
#include "explore/portfolio.h"
#include "explore/search.h"

namespace treadle {

struct CheckResult {
  SearchResult search;
  std::string program;
  std::string subject;  // as the user named it: "queue.cpp", "./pool_test --quick"
  std::string folder;   // the one that the user stands in
  std::string strategy;
  std::vector<PhaseReport> phases;  // when several searches were made
  MemoryModel model = MemoryModel::Sc;
  bool with_outcomes = false;
  std::optional<BranchCoverage> coverage{};
  unsigned jobs = 1;
  bool can_be_resumed = true;     // with --resume, that is; not by every strategy
  std::string resume;             // the folder that keeps the state of the search, or empty
  std::string carrier;            // "reset", "fork", "kernel": the one in use in the end
  std::string why_fork;           // reason of the fall-back, or empty
  bool inputs_left_open = false;  // the program asks for inputs, and each had one value that nobody has chosen
  std::string replay_options;     // what a replay must be told besides the witness: " --leaks"
};

const char* text_of(MemoryModel model);  // "sc"

/// What to paste to see it again: "treadle replay .treadle/deadlock-1f3a.witness".
std::string replay_command(const Finding& finding, const std::string& options = "");

/// One word as a POSIX shell reads it.
std::string shell_quoted(const std::string& word);

}  // namespace treadle
