// SPDX-License-Identifier: Apache-2.0
#include "explore/exhaustive.h"

#include <gtest/gtest.h>

#include <cmath>

#include "explore/explore_all.h"

namespace treadle {
namespace {

Explored explore(const MadeUpProgram& program, std::size_t batch, std::optional<std::uint32_t> preemptions = std::nullopt) {
  Exhaustive strategy({}, preemptions);
  return explore_all(program, strategy, batch);
}

double schedules_of_writers(unsigned n, unsigned steps) {
  double count = 1;
  for (unsigned i = 2; i <= n * steps; ++i) count *= i;
  double each = 1;
  for (unsigned i = 2; i <= steps; ++i) each *= i;
  return std::round(count / std::pow(each, n));
}

TEST(Exhaustive, VisitsEachScheduleExactlyOnce) {
  for (const auto& [threads, steps] : {std::pair{1u, 3u}, {2u, 1u}, {2u, 5u}, {3u, 3u}, {4u, 2u}}) {
    for (const std::size_t batch : {1u, 2u, 7u, 256u}) {
      const Explored explored = explore(independent_writers(threads, steps), batch);
      const auto expected = static_cast<std::size_t>(schedules_of_writers(threads, steps));
      EXPECT_EQ(explored.executions(), expected) << threads << " threads, " << steps << " steps, batch " << batch;
      EXPECT_EQ(explored.schedules.size(), expected);
    }
  }
}

TEST(Exhaustive, FollowsLocksAndFindsBothEndsOfALockOrderInversion) {
  const MadeUpProgram program{
      {{{Op::Lock, 0}, {Op::Lock, 1}, {Op::Unlock, 1}, {Op::Unlock, 0}}, {{Op::Lock, 1}, {Op::Lock, 0}, {Op::Unlock, 0}, {Op::Unlock, 1}}}};
  const Explored explored = explore(program, 1);
  EXPECT_EQ(explored.executions(), explored.schedules.size());
  std::size_t deadlocks = 0;
  for (const auto& order : explored.schedules) deadlocks += order.size() == 2;
  EXPECT_EQ(deadlocks, 2u);
}

TEST(Exhaustive, BoundOfPreemptionsLeavesOutExactlyTheOthers) {
  const Explored all = explore(independent_writers(3, 3), 1);
  for (unsigned bound = 0; bound <= 6; ++bound) {
    std::set<std::vector<unsigned>> expected;
    for (const auto& order : all.schedules)
      if (preemptions_in(order, {3, 3, 3}) <= bound) expected.insert(order);
    const Explored bounded = explore(independent_writers(3, 3), 16, bound);
    EXPECT_EQ(bounded.schedules, expected);
    EXPECT_EQ(bounded.executions(), expected.size());
    EXPECT_EQ(bounded.covers == all.covers, expected.size() == all.schedules.size()) << bounded.covers;
  }
  EXPECT_EQ(explore(independent_writers(2, 2), 1, 1).covers, "all schedules with at most 1 preemption under SC for these inputs");
}

TEST(Exhaustive, EstimateIsExactAtTheEnd) {
  const Explored explored = explore(independent_writers(3, 3), 8);
  EXPECT_NEAR(explored.estimate, static_cast<double>(explored.executions()), 1e-6);
}

TEST(Exhaustive, WorkKeptForLaterGrowsWithTheDepthNotWithTheNumberOfExecutions) {
  const std::size_t threads = 2, steps = 200;
  MadeUpRunner runner(independent_writers(threads, steps));
  Exhaustive strategy({});
  Trace trace;
  for (int i = 0; i < 3000; ++i) {
    const auto item = strategy.next();
    ASSERT_TRUE(item);
    ASSERT_TRUE(runner.run(item->schedule, strategy.needs(), trace));
    strategy.learn_from(item->ticket, trace);
    ASSERT_LE(strategy.ahead(), threads * steps * (threads - 1));
  }
}

}  // namespace
}  // namespace treadle
