// SPDX-License-Identifier: Apache-2.0
#include "explore/exhaustive.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "explore/made_up_program.h"

namespace treadle {
namespace {

struct Explored {
  std::set<std::vector<unsigned>> schedules;
  std::size_t executions = 0;
  std::string covers;
  double estimate = 0;
};

/// Runs the strategy to its end, asking for `batch` schedules at a time.
Explored explore(const MadeUpProgram& program, std::size_t batch, std::optional<std::uint32_t> preemptions = std::nullopt) {
  MadeUpRunner runner(program);
  Exhaustive strategy({}, preemptions);
  Explored explored;
  for (;;) {
    std::vector<Schedule> schedules;
    for (std::size_t n = std::min(batch, strategy.ahead()); n > 0; --n)
      if (auto schedule = strategy.next()) schedules.push_back(*schedule);
    if (schedules.empty()) break;
    std::vector<Trace> traces;
    EXPECT_TRUE(runner.run_batch(schedules, strategy.needs(), traces));
    for (const Trace& trace : traces) {
      EXPECT_NE(trace.end.ending, TREADLE_END_DIVERGED);
      strategy.learn_from(trace);
      std::vector<unsigned> order;
      for (const Choice& choice : trace.choices) order.push_back(index_of(choice.taken.thread));
      explored.schedules.insert(order);
      ++explored.executions;
    }
  }
  explored.covers = strategy.covers();
  explored.estimate = strategy.estimate().value_or(0);
  return explored;
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
      EXPECT_EQ(explored.executions, expected) << threads << " threads, " << steps << " steps, batch " << batch;
      EXPECT_EQ(explored.schedules.size(), expected);
    }
  }
}

TEST(Exhaustive, FollowsLocksAndFindsBothEndsOfALockOrderInversion) {
  const MadeUpProgram program{
      {{{Op::Lock, 0}, {Op::Lock, 1}, {Op::Unlock, 1}, {Op::Unlock, 0}}, {{Op::Lock, 1}, {Op::Lock, 0}, {Op::Unlock, 0}, {Op::Unlock, 1}}}};
  const Explored explored = explore(program, 1);
  EXPECT_EQ(explored.executions, explored.schedules.size());
  std::size_t deadlocks = 0;
  for (const auto& order : explored.schedules) deadlocks += order.size() == 2;
  EXPECT_EQ(deadlocks, 2u);
}

TEST(Exhaustive, BoundOfPreemptionsLeavesOutExactlyTheOthers) {
  const auto preemptions = [](const std::vector<unsigned>& order, std::vector<unsigned> left) {
    unsigned count = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && order[i] != order[i - 1] && left[order[i - 1]] > 0) ++count;
      --left[order[i]];
    }
    return count;
  };
  const Explored all = explore(independent_writers(3, 3), 1);
  for (unsigned bound = 0; bound <= 6; ++bound) {
    std::set<std::vector<unsigned>> expected;
    for (const auto& order : all.schedules)
      if (preemptions(order, {3, 3, 3}) <= bound) expected.insert(order);
    const Explored bounded = explore(independent_writers(3, 3), 16, bound);
    EXPECT_EQ(bounded.schedules, expected);
    EXPECT_EQ(bounded.executions, expected.size());
    EXPECT_EQ(bounded.covers == all.covers, expected.size() == all.schedules.size()) << bounded.covers;
  }
  EXPECT_EQ(explore(independent_writers(2, 2), 1, 1).covers, "all schedules under SC for these inputs with at most 1 preemption");
}

TEST(Exhaustive, EstimateIsExactAtTheEnd) {
  const Explored explored = explore(independent_writers(3, 3), 8);
  EXPECT_NEAR(explored.estimate, static_cast<double>(explored.executions), 1e-6);
}

TEST(Exhaustive, WorkKeptForLaterGrowsWithTheDepthNotWithTheNumberOfExecutions) {
  const std::size_t threads = 2, steps = 200;
  MadeUpRunner runner(independent_writers(threads, steps));
  Exhaustive strategy({});
  Trace trace;
  for (int i = 0; i < 3000; ++i) {
    auto schedule = strategy.next();
    ASSERT_TRUE(schedule);
    ASSERT_TRUE(runner.run(*schedule, strategy.needs(), trace));
    strategy.learn_from(trace);
    ASSERT_LE(strategy.ahead(), threads * steps * (threads - 1));
  }
}

}  // namespace
}  // namespace treadle
