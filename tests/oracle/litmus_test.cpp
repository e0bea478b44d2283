// SPDX-License-Identifier: Apache-2.0
#include "litmus.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "axioms.h"
#include "generate.h"
#include "interpret.h"

namespace oracle {
namespace {

bool some_outcome_has(const Program& program, const std::set<Outcome>& outcomes, const std::map<std::string, int>& condition) {
  return std::any_of(outcomes.begin(), outcomes.end(), [&](const Outcome& outcome) {
    const auto values = named(program, outcome);
    return std::all_of(condition.begin(), condition.end(), [&](const auto& wanted) { return values.at(wanted.first) == wanted.second; });
  });
}

TEST(Litmus, HasAtLeastSixtyTestsWithDifferentNames) {
  std::set<std::string> names;
  for (const Litmus& test : litmus_tests()) EXPECT_TRUE(names.insert(test.name).second) << test.name;
  EXPECT_GE(names.size(), 60u);
}

TEST(Litmus, ConditionsAreAllowedExactlyByTheModelsTheLiteratureSays) {
  for (const Litmus& test : litmus_tests()) {
    for (const Model model : kModels) {
      const Interpretation all = interpret(test.program, model);
      ASSERT_TRUE(all.complete && !all.misuses && !all.deadlocks) << test.name;
      EXPECT_EQ(some_outcome_has(test.program, all.outcomes, test.condition), test.allowed_under(model))
          << test.name << " " << text_of(model);
      EXPECT_EQ(all.outcomes.size(), static_cast<std::size_t>(test.outcomes[static_cast<int>(model)]))
          << test.name << " " << text_of(model);
    }
  }
}

TEST(Litmus, AWeakerModelAllowsWhatAStrongerOneDoes) {
  for (const Litmus& test : litmus_tests()) {
    const auto sc = interpret(test.program, Model::Sc).outcomes, tso = interpret(test.program, Model::Tso).outcomes,
               pso = interpret(test.program, Model::Pso).outcomes;
    EXPECT_TRUE(std::includes(tso.begin(), tso.end(), sc.begin(), sc.end())) << test.name;
    EXPECT_TRUE(std::includes(pso.begin(), pso.end(), tso.begin(), tso.end())) << test.name;
  }
}

TEST(Litmus, StoreBuffersAndAxiomsAllowTheSameOutcomes) {
  int judged = 0;
  for (const Litmus& test : litmus_tests()) {
    if (!is_straight_line(test.program)) continue;
    ++judged;
    for (const Model model : kModels)
      EXPECT_EQ(interpret(test.program, model).outcomes, outcomes_by_axioms(test.program, model)) << test.name << " " << text_of(model);
  }
  EXPECT_GE(judged, 60);
}

TEST(Axioms, AgreeWithStoreBuffersOnGeneratedPrograms) {
  int judged = 0;
  for (const char* name : {"buffers", "atomics", "racy"}) {
    Profile profile = *find_profile(name);
    profile.features &= ~(kBranches | kAsserts);
    profile.fewest_threads = 2;
    profile.most_threads = 3;
    profile.fewest_operations = 5;
    profile.most_operations = 9;
    profile.main_works = profile.spawns_deeper = 0;
    profile.most_executions = UINT64_MAX;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
      const Program program = generate(seed, profile);
      ASSERT_TRUE(is_straight_line(program)) << name << "/" << seed;
      ++judged;
      for (const Model model : kModels)
        EXPECT_EQ(interpret(program, model).outcomes, outcomes_by_axioms(program, model)) << name << "/" << seed << " " << text_of(model);
    }
  }
  EXPECT_EQ(judged, 450);
}

}  // namespace
}  // namespace oracle
