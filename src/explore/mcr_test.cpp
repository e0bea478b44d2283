// SPDX-License-Identifier: Apache-2.0
#include "explore/mcr.h"

#include <gtest/gtest.h>

#include "explore/completed.h"
#include "explore/explore_all.h"

namespace treadle {
namespace {

/// Figure 3.2 of the seed: two writers, two readers of what they write.
MadeUpProgram two_pairs() { return {{{{Op::Write, 0, 1}}, {{Op::Read, 0}}, {{Op::Write, 1, 1}}, {{Op::Read, 1}}}}; }

/// Figure 5.6: three pairs, the readers first.
MadeUpProgram three_pairs() {
  return {{{{Op::Read, 0}}, {{Op::Read, 1}}, {{Op::Read, 2}}, {{Op::Write, 0, 1}}, {{Op::Write, 1, 1}}, {{Op::Write, 2, 1}}}};
}

/// Listing 4.1: one writer, one thread that reads twice.
MadeUpProgram read_twice() { return {{{{Op::Write, 0, 1}}, {{Op::Read, 0}, {Op::Read, 0}}}}; }

std::size_t executions(const MadeUpProgram& program, const McrOptions& options, std::size_t batch = 1) {
  Mcr strategy({}, options);
  return explore_all(program, strategy, batch).executions();
}

const McrOptions mcr, se_mcr{.switch_equivalence = true};

TEST(Mcr, RunsOneExecutionForEachNewValueOfEachRead) {
  EXPECT_EQ(executions(two_pairs(), mcr), 5u);
  EXPECT_EQ(executions(three_pairs(), mcr), 16u);
  EXPECT_EQ(executions(read_twice(), mcr), 3u);
}

TEST(Mcr, WithSwitchEquivalenceRunsNoneOfThemTwice) {
  EXPECT_EQ(executions(two_pairs(), se_mcr), 4u);
  EXPECT_EQ(executions(three_pairs(), se_mcr), 8u);
  EXPECT_EQ(executions(read_twice(), se_mcr), 3u);
}

/// Completed, as it is used, and consulting what is known, which is nothing: threads that nobody creates cannot be rehearsed.
std::size_t executions_without_rehearsals(const MadeUpProgram& program) {
  Completed strategy(Schedule{}, Completed::First::RunsNothingTwice,
                     [](KnownExecutions& known) { return std::make_unique<Mcr>(Schedule{}, McrOptions{.known = &known}); });
  return explore_all(program, strategy).executions();
}

TEST(Mcr, LeavesWhatCannotBeRehearsedToTheSearchByClasses) {
  EXPECT_EQ(executions_without_rehearsals(two_pairs()), 4u);
  EXPECT_EQ(executions_without_rehearsals(three_pairs()), 8u);
  EXPECT_EQ(executions_without_rehearsals(read_twice()), 3u);
}

TEST(Mcr, RunsTheSameExecutionsManyAtATime) {
  EXPECT_EQ(executions(three_pairs(), mcr, 7), 16u);
  EXPECT_EQ(executions(three_pairs(), se_mcr, 7), 8u);
}

TEST(Mcr, CountsWhatItRunsTwice) {
  Mcr strategy({}, mcr);
  explore_all(three_pairs(), strategy);
  EXPECT_EQ(strategy.counts().redundant, 8u);
  EXPECT_EQ(strategy.solver()->queries, 15u);
}

TEST(Mcr, GoesOnFromWhereItWasSaved) {
  const MadeUpProgram program = three_pairs();
  MadeUpRunner runner(program);
  Mcr first({}, se_mcr);
  for (int i = 0; i < 3; ++i) {
    const auto item = first.next();
    Trace trace;
    ASSERT_TRUE(runner.run(item->schedule, first.needs(), trace));
    first.learn_from(item->ticket, trace);
  }
  (void)first.next();  // out, and never back
  Mcr second({}, se_mcr);
  ASSERT_TRUE(second.load(first.save()));
  EXPECT_EQ(explore_all(program, second).executions(), 5u);
  EXPECT_FALSE(second.load("nonsense"));
}

}  // namespace
}  // namespace treadle
