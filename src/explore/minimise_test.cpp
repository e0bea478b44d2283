// SPDX-License-Identifier: Apache-2.0
#include "explore/minimise.h"

#include <gtest/gtest.h>

#include "explore/made_up_program.h"
#include "finding/diagnose.h"
#include "finding/made_up_symbols.h"

namespace treadle {
namespace {

/// Thread 0 fails when it reads what thread 1 writes between its first two steps; thread 2 has nothing to do with it.
MadeUpProgram program() {
  return {{{{Op::Write, 0, 1}, {Op::FailIf, 1, 7}, {Op::Write, 0, 2}},
           {{Op::Write, 1, 7}, {Op::Write, 1, 8}},
           {{Op::Write, 2, 1}, {Op::Write, 2, 2}, {Op::Write, 2, 3}}}};
}

Decision step_of(unsigned thread) { return {DecisionKind::Step, static_cast<ThreadId>(thread), 0}; }

class Minimise : public testing::Test {
 protected:
  Finding fails_by(const std::vector<unsigned>& threads) {
    schedule_.threads = {ThreadName{}, {0, 0}, {0, 1}};
    schedule_.prefix.clear();
    for (const unsigned thread : threads) schedule_.prefix.push_back(step_of(thread));
    EXPECT_TRUE(runner_.run(schedule_, {}, trace_));
    const auto findings = diagnose(trace_, symbols_);
    EXPECT_FALSE(findings.empty());
    return findings.empty() ? Finding{} : findings.front();
  }

  MadeUpRunner runner_{program()};
  MadeUpSymbols symbols_;
  Schedule schedule_;
  Trace trace_;
};

TEST_F(Minimise, LeavesOutThreadsThatHaveNothingToDoWithIt) {
  const Finding finding = fails_by({2, 0, 2, 1, 2, 0});
  const auto smaller = minimise(finding, exactly(schedule_, trace_), runner_, symbols_, false);
  ASSERT_TRUE(smaller);
  EXPECT_LT(smaller->after, smaller->before);
  EXPECT_LE(smaller->after.switches, 2u);
  for (const Decision& decision : smaller->schedule.prefix) EXPECT_NE(decision.thread, static_cast<ThreadId>(2));
}

TEST_F(Minimise, OfAScheduleStillFailsInTheSameWay) {
  const Finding finding = fails_by({0, 2, 1, 2, 0});
  const auto smaller = minimise(finding, exactly(schedule_, trace_), runner_, symbols_, false);
  ASSERT_TRUE(smaller);
  Trace again;
  ASSERT_TRUE(runner_.run(smaller->schedule, {}, again));
  EXPECT_NE(matching(diagnose(again, symbols_), finding), nullptr);
  EXPECT_EQ(effort_of(again), smaller->after);
}

TEST_F(Minimise, OfAScheduleThatDoesNotFailSaysSo) {
  const Finding finding = fails_by({1, 0, 0});
  Schedule passing = schedule_;
  passing.prefix = {step_of(1), step_of(1), step_of(0), step_of(0)};
  const auto none = minimise(finding, passing, runner_, symbols_, false);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.problem().sentence, "the schedule does not fail any more in the way it did");
}

TEST_F(Minimise, HandsOverManySchedulesAtATime) {
  const Finding finding = fails_by({2, 0, 2, 1, 2, 0});
  ASSERT_TRUE(minimise(finding, exactly(schedule_, trace_), runner_, symbols_, false));
  EXPECT_GE(runner_.largest_batch, 8u);
}

TEST_F(Minimise, KeepsToItsLimits) {
  const Finding finding = fails_by({2, 0, 2, 1, 2, 0});
  const std::uint64_t before = runner_.runs;
  const auto smaller = minimise(finding, exactly(schedule_, trace_), runner_, symbols_, false, {.runs = 3});
  ASSERT_TRUE(smaller);
  EXPECT_LE(runner_.runs - before, 8u);  // a round looks at its limits between blocks
}

}  // namespace
}  // namespace treadle
