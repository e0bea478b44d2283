// SPDX-License-Identifier: Apache-2.0
#include "report/alike.h"

namespace treadle {
namespace {

constexpr std::size_t most_whole = 3, most_lines = 7;

/// A finding's sentence first says what it is about: "data race on `x`: 0.2 reads it at …".
std::string about(const Finding& finding) { return finding.message.substr(0, finding.message.find(": ")); }

}  // namespace

Told Alike::next(const Finding& finding) {
  const std::size_t before = seen_[about(finding)]++;
  return before < most_whole ? Told::Whole : before < most_whole + most_lines ? Told::InALine : Told::Counted;
}

std::vector<Alike::Rest> Alike::rest() const {
  std::vector<Rest> rest;
  for (const auto& [about, count] : seen_)
    if (count > most_whole + most_lines) rest.push_back({about, count - most_whole - most_lines});
  return rest;
}

}  // namespace treadle
