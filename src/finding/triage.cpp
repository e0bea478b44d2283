// SPDX-License-Identifier: Apache-2.0
#include "finding/triage.h"

#include <algorithm>

#include "finding/trouble.h"

namespace treadle {
namespace {

constexpr unsigned kMostLooks = 256;  // at one place of a library, however many objects it meets there

}  // namespace

bool is_precise(const Finding& finding) {
  return std::all_of(finding.parts.begin(), finding.parts.end(), [](const Part& part) { return is_user_code(user_frame(part.where)); });
}

std::vector<Finding> Triage::new_findings(const Trace& trace) {
  bool something_new = false;
  const auto troubles = troubles_of(trace);
  for (const Trouble& trouble : troubles) {
    const bool is_new = keys_.insert(trouble.key).second;
    // One function of the library stands for many places of the program: the objects it works on have to tell them apart.
    const auto vague = is_new ? vague_.end() : vague_.find(trouble.key);
    const bool is_new_object = vague != vague_.end() && vague->second < kMostLooks && keys_.insert(trouble.fine).second;
    if (is_new_object) ++vague->second;
    something_new |= is_new || is_new_object;
  }
  if (!something_new) return {};

  std::vector<Finding> findings = diagnose(trace, symbols_);
  for (const Finding& finding : findings)
    if (!is_precise(finding)) vague_.try_emplace(finding.key, 0);
  for (const Trouble& trouble : troubles)
    if (vague_.contains(trouble.key)) keys_.insert(trouble.fine);
  std::erase_if(findings, [&](const Finding& finding) { return !is_new(finding.fingerprint); });
  return findings;
}

}  // namespace treadle
