// SPDX-License-Identifier: Apache-2.0
#include "explore/branch_coverage.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "finding/library_files.h"

namespace treadle {

BranchCoverage::Count BranchCoverage::count() const {
  Count count;
  for (const CoveredBranch& branch : branches) {
    count.ways += branch.ways.size();
    count.taken += static_cast<std::uint64_t>(std::ranges::count(branch.ways, true, &CoveredWay::taken));
  }
  return count;
}

BranchCoverage branch_coverage(std::span<const BranchWay> ways, const std::unordered_set<std::uint64_t>& taken) {
  using Place = std::tuple<std::string, std::uint32_t, std::uint32_t, std::uint32_t>;
  std::map<Place, CoveredBranch> branches;
  for (const BranchWay& way : ways) {
    if (is_library_file(way.file)) continue;
    CoveredBranch& branch = branches[{way.file, way.line, way.column, way.ordinal}];
    if (branch.ways.empty()) branch = {way.file, way.function, way.line, way.column, {}};
    const auto same = [&](const CoveredWay& other) { return other.way == way.way && other.value == way.value; };
    auto known = std::ranges::find_if(branch.ways, same);
    if (known == branch.ways.end()) known = branch.ways.insert(known, CoveredWay{way.way, way.value, way.to_line, false});
    known->taken |= taken.contains(way.address);
  }
  BranchCoverage coverage;
  for (auto& [place, branch] : branches) coverage.branches.push_back(std::move(branch));
  return coverage;
}

std::string text_of(const CoveredWay& way) {
  switch (way.way) {
    case TREADLE_WAY_TRUE:
      return "true";
    case TREADLE_WAY_FALSE:
      return "false";
    case TREADLE_WAY_CASE:
      return "case " + std::to_string(way.value);
    default:
      return "default";
  }
}

}  // namespace treadle
