// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

#include <stdexcept>

#include "interpret.h"
#include "litmus.h"
#include "spinning.h"

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
  if (selection.is_generated())
    for (int i = 0; i < selection.count; ++i) cases.push_back(generate_case(selection, selection.seed + i));
  for (const std::string& name : selection.programs) {
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) throw std::invalid_argument("not PROFILE/SEED: \"" + name + "\"");
    Selection one = selection;
    one.profile = name.substr(0, slash);
    cases.push_back(generate_case(one, std::stoull(name.substr(slash + 1))));
  }
  const auto take = [&](const std::string& wanted, const std::string& name, const Program& program) {
    if (wanted != "all" && wanted != name) return;
    if (selection.most_executions && interpret(program, selection.limit_model).executions > *selection.most_executions) return;
    cases.push_back({name, program});
  };
  for (const Litmus& test : litmus_tests()) take(selection.litmus, test.name, test.program);
  for (const Spinning& one : spinning_programs()) take(selection.spinning, one.program.name, one.program.program);
  if (cases.empty()) throw std::invalid_argument("there is no such program within the limit of executions");
  return cases;
}

}  // namespace oracle
