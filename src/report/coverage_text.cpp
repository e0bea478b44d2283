// SPDX-License-Identifier: Apache-2.0
#include "report/coverage_text.h"

#include <fmt/format.h>

#include <map>

#include "finding/symbols.h"

namespace treadle {
namespace {

using Json = nlohmann::ordered_json;

struct FunctionCount {
  std::string file, function;
  BranchCoverage::Count count;
};

/// In the order of the source.
std::vector<FunctionCount> by_function(const BranchCoverage& coverage) {
  std::vector<FunctionCount> all;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  for (const CoveredBranch& branch : coverage.branches) {
    const auto [at, is_new] = known.try_emplace({branch.file, branch.function}, all.size());
    if (is_new) all.push_back({branch.file, branch.function, {}});
    for (const CoveredWay& way : branch.ways) {
      ++all[at->second].count.ways;
      all[at->second].count.taken += way.taken ? 1 : 0;
    }
  }
  return all;
}

const char* state_of(const CoveredWay& way, const BranchCoverage& coverage) {
  return way.taken ? "taken" : coverage.unknown_because.empty() ? "unreachable" : "unknown";
}

SourceFrame frame_of(const CoveredBranch& branch) { return {branch.function, branch.file, branch.line, branch.column}; }

}  // namespace

std::string coverage_text(const BranchCoverage& coverage) {
  const auto [ways, taken] = coverage.count();
  std::string text = fmt::format("\nbranches: {} of {} ways taken\n", taken, ways);
  for (const FunctionCount& one : by_function(coverage))
    text += fmt::format("  {:<24}  {} of {}\n", one.function, one.count.taken, one.count.ways);
  if (taken == ways) return text;
  const bool proven = coverage.unknown_because.empty();
  text += proven ? "  unreachable: no schedule and no input leads along\n"
                 : fmt::format("  not taken, and it is unknown whether anything leads along: {}\n", coverage.unknown_because);
  for (const CoveredBranch& branch : coverage.branches)
    for (const CoveredWay& way : branch.ways) {
      if (way.taken) continue;
      text += fmt::format("    {} {}{} in {}\n", text_of(frame_of(branch)), text_of(way),
                          way.to_line == 0 ? "" : fmt::format(", to line {},", way.to_line), branch.function);
    }
  return text;
}

Json json_part(const BranchCoverage& coverage) {
  const auto [ways, taken] = coverage.count();
  Json functions = Json::array(), branches = Json::array();
  for (const FunctionCount& one : by_function(coverage))
    functions.push_back({{"function", one.function}, {"file", one.file}, {"ways", one.count.ways}, {"taken", one.count.taken}});
  for (const CoveredBranch& branch : coverage.branches) {
    Json all = Json::array();
    for (const CoveredWay& way : branch.ways)
      all.push_back({{"way", text_of(way)}, {"to_line", way.to_line}, {"state", state_of(way, coverage)}});
    branches.push_back(
        {{"function", branch.function}, {"file", branch.file}, {"line", branch.line}, {"column", branch.column}, {"ways", all}});
  }
  return {
      {"ways", ways}, {"taken", taken}, {"unknown_because", coverage.unknown_because}, {"functions", functions}, {"branches", branches}};
}

}  // namespace treadle
