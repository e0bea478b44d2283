// SPDX-License-Identifier: Apache-2.0
#include "foretold.h"

#include <algorithm>
#include <regex>
#include <set>

namespace oracle {
namespace {

/// All that `pattern` captures in the message of a finding.
std::set<std::string> named_in(const nlohmann::json& finding, const std::string& pattern) {
  const std::string text = finding.at("message").get<std::string>();
  std::set<std::string> names;
  const std::regex wanted(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), wanted), end; at != end; ++at) names.insert((*at)[1].str());
  return names;
}

/// The report says that all candidates of this kind were looked at.
bool covers(const nlohmann::json& report, const char* kind) {
  const nlohmann::json& coverage = report.at("predictions").at("coverage");
  if (!coverage.contains(kind)) return false;
  return coverage.at(kind).at("complete").get<bool>() && coverage.at(kind).at("limits").get<std::string>().empty();
}

}  // namespace

std::string Difference::text() const {
  std::string all;
  for (const std::string& one : missing) all += "  missing: " + one + "\n";
  for (const std::string& one : surplus) all += "  surplus: " + one + "\n";
  return all;
}

Difference compare(const nlohmann::json& report, const std::string& prefix, const Implied& implied, const Implied& possible) {
  std::set<std::string> failing, racing;
  bool deadlock = false;
  Difference difference;
  for (const nlohmann::json& finding : report.at("findings")) {
    const std::string kind = finding.at("kind").get<std::string>();
    if (kind == "assertion") failing.merge(named_in(finding, prefix + "(t[0-9]+a[0-9]+)"));
    if (kind == "data-race") racing.merge(named_in(finding, prefix + "x([0-9]+)"));
    deadlock |= kind == "deadlock" || kind == "lost-wakeup";
  }
  for (const nlohmann::json& one : report.at("unconfirmed"))
    difference.surplus.push_back("unconfirmed: " + one.at("message").get<std::string>());

  const bool all_assertions = covers(report, "assertion"), all_races = covers(report, "race"), all_rings = covers(report, "deadlock");
  difference.limited = !all_assertions || !all_races || !all_rings;
  for (const std::string& label : implied.failing)
    if (all_assertions && !failing.contains(label)) difference.missing.push_back("assertion " + label);
  for (const std::string& label : failing)
    if (!possible.failing.contains(label)) difference.surplus.push_back("assertion " + label);
  for (const int variable : implied.racing)
    if (all_races && !racing.contains(std::to_string(variable))) difference.missing.push_back("data race on x" + std::to_string(variable));
  if (all_rings && (implied.ring || implied.stuck) && !deadlock) difference.missing.push_back("deadlock");
  return difference;
}

}  // namespace oracle
