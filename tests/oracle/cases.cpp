// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

#include <stdexcept>

#include "interpret.h"
#include "litmus.h"

namespace oracle {

Case generate_case(const Selection& selection, std::uint64_t seed) {
  const Profile* named = find_profile(selection.profile);
  if (named == nullptr) throw std::invalid_argument("no profile \"" + selection.profile + "\"");
  Profile profile = resolve(*named, seed);
  if (selection.most_threads) profile.most_threads = *selection.most_threads;
  if (selection.most_operations) profile.most_operations = *selection.most_operations;
  if (selection.most_executions) profile.most_executions = *selection.most_executions;
  if (selection.most_classes) {
    profile.most_classes = *selection.most_classes;
    if (!selection.most_executions) profile.most_executions = UINT64_MAX;  // reduction is what makes them feasible
  }
  profile.fewest_threads = std::min(profile.fewest_threads, profile.most_threads);
  profile.fewest_operations = std::min(profile.fewest_operations, profile.most_operations);
  profile.limit_model = selection.limit_model;
  return {std::string(profile.name) + "/" + std::to_string(seed), generate(seed, profile)};
}

std::vector<Case> select_cases(const Selection& selection) {
  std::vector<Case> cases;
  if (selection.litmus.empty()) {
    for (int i = 0; i < selection.count; ++i) cases.push_back(generate_case(selection, selection.seed + i));
    return cases;
  }
  for (const Litmus& test : litmus_tests()) {
    if (selection.litmus != "all" && selection.litmus != test.name) continue;
    if (selection.most_executions && interpret(test.program, selection.limit_model).executions > *selection.most_executions) continue;
    cases.push_back({test.name, test.program});
  }
  if (cases.empty()) throw std::invalid_argument("no litmus test \"" + selection.litmus + "\" within the limit of executions");
  return cases;
}

}  // namespace oracle
