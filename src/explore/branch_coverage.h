// SPDX-License-Identifier: Apache-2.0
// Which ways of the program's branches the executions of a search have taken, and what is known of the others.
#pragma once

#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "subject/program_branches.h"

namespace treadle {

struct CoveredWay {
  TreadleWay way = TREADLE_WAY_FALSE;
  std::int64_t value = 0;     // of a case
  std::uint32_t to_line = 0;  // 0: not known
  bool taken = false;
};

struct CoveredBranch {
  std::string file, function;
  std::uint32_t line = 0, column = 0;
  std::vector<CoveredWay> ways;
};

struct BranchCoverage {
  std::vector<CoveredBranch> branches;  // of the user's code, by file and line
  /// Why something may lead along a way that was not taken; empty: no schedule and no input does.
  std::string unknown_because;

  struct Count {
    std::uint64_t ways = 0, taken = 0;
  };
  Count count() const;
};

/// Copies of a branch, in instances of a template or in files that include the same header, are one.
BranchCoverage branch_coverage(std::span<const BranchWay> ways, const std::unordered_set<std::uint64_t>& taken);

/// "true", "false", "case 3", "default"
std::string text_of(const CoveredWay& way);

}  // namespace treadle
