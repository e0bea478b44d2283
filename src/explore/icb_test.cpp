// SPDX-License-Identifier: Apache-2.0
#include "explore/icb.h"

#include <gtest/gtest.h>

#include <random>

#include "explore/exhaustive.h"
#include "explore/explore_all.h"

namespace treadle {
namespace {

Explored by_icb(const MadeUpProgram& program, std::optional<std::uint32_t> most = std::nullopt, std::size_t batch = 1) {
  Icb strategy({}, most);
  return explore_all(program, strategy, batch);
}

Explored by_exhaustion(const MadeUpProgram& program, std::optional<std::uint32_t> bound = std::nullopt) {
  Exhaustive strategy({}, bound);
  return explore_all(program, strategy, 1);
}

TEST(Icb, RunsEachScheduleOnceInTheOrderOfTheirPreemptions) {
  for (const std::size_t batch : {1u, 3u, 64u}) {
    const Explored explored = by_icb(independent_writers(3, 3), std::nullopt, batch);
    EXPECT_EQ(explored.executions(), 1680u);
    EXPECT_EQ(explored.schedules.size(), 1680u);
    unsigned before = 0;
    for (const Order& order : explored.orders) {
      EXPECT_GE(preemptions_in(order, {3, 3, 3}), before);
      before = preemptions_in(order, {3, 3, 3});
    }
    EXPECT_EQ(explored.covers, "all schedules under SC for these inputs");
  }
}

TEST(Icb, StopsAfterTheLastBoundAndSaysSo) {
  for (std::uint32_t bound = 0; bound < 7; ++bound) {
    const Explored exact = by_exhaustion(independent_writers(3, 3), bound);
    const Explored explored = by_icb(independent_writers(3, 3), bound, 5);
    EXPECT_EQ(explored.schedules, exact.schedules);
    EXPECT_EQ(explored.executions(), exact.executions());
    EXPECT_EQ(explored.covers, exact.covers);
    EXPECT_NEAR(explored.estimate, static_cast<double>(explored.executions()), 1e-6);
  }
}

TEST(Icb, FollowsLocks) {
  const MadeUpProgram program{
      {{{Op::Lock, 0}, {Op::Lock, 1}, {Op::Unlock, 1}, {Op::Unlock, 0}}, {{Op::Lock, 1}, {Op::Lock, 0}, {Op::Unlock, 0}, {Op::Unlock, 1}}}};
  const Explored explored = by_icb(program);
  EXPECT_EQ(explored.schedules, by_exhaustion(program).schedules);
  EXPECT_EQ(explored.executions(), explored.schedules.size());
  EXPECT_EQ(explored.ends.front(), TREADLE_END_COMPLETED);  // a deadlock takes one preemption
}

TEST(Icb, TellsWhichBoundWasCompletedWhenItIsStopped) {
  Icb strategy({});
  MadeUpRunner runner(independent_writers(2, 4));
  Trace trace;
  for (int i = 0; i < 2; ++i) {  // all without preemption
    EXPECT_FALSE(strategy.covers_already());
    const auto item = strategy.next();
    ASSERT_TRUE(runner.run(item->schedule, strategy.needs(), trace));
    strategy.learn_from(item->ticket, trace);
  }
  ASSERT_TRUE(strategy.next());
  EXPECT_EQ(strategy.covers_already(), "all schedules with at most 0 preemptions under SC for these inputs");
}

TEST(IcbFrontier, GivesBackWhatItWasGiven) {
  std::mt19937 random(1);
  IcbFrontier frontier;
  std::vector<std::pair<Trace, std::vector<Branch>>> all;
  std::uint64_t branches = 0;
  for (int n = 0; n < 300; ++n) {
    const auto decision = [&] {
      Decision d{DecisionKind::Step, ThreadId{static_cast<std::uint8_t>(random() % 3)}, 0};
      if (random() % 8 == 0) d = {DecisionKind::Wake, ThreadId{200}, static_cast<std::uint16_t>(random() % 300)};
      return d;
    };
    auto& [trace, given] = all.emplace_back();
    const std::size_t length = 1 + random() % 200;
    Decision now = decision();
    for (std::size_t i = 0; i < length; ++i) {
      if (random() % 9 == 0) now = decision();
      trace.choices.push_back({now, 0, 0});
      for (unsigned t = 0; t < 3; ++t)
        if (random() % 4 != 0)
          given.push_back({static_cast<std::uint32_t>(i), {DecisionKind::Step, ThreadId{static_cast<std::uint8_t>(10 + t)}, 0}, 0, 0});
    }
    frontier.add(trace, given);
    branches += given.size();
    EXPECT_EQ(frontier.size(), branches);
  }
  for (auto& [trace, given] : all) {
    if (given.empty()) continue;
    const auto execution = frontier.take();
    ASSERT_EQ(execution.decisions.size(), given.back().position + 1);
    for (std::size_t i = 0; i < execution.decisions.size(); ++i) EXPECT_EQ(execution.decisions[i], trace.choices[i].taken);
    ASSERT_EQ(execution.branches.size(), given.size());
    const auto same = [](const Branch& a, const Branch& b) { return a.position == b.position && a.decision == b.decision; };
    EXPECT_TRUE(std::is_permutation(given.begin(), given.end(), execution.branches.begin(), same));
  }
  EXPECT_TRUE(frontier.empty());
  EXPECT_EQ(frontier.bytes(), 0u);
}

TEST(IcbFrontier, TakesFewBytesForAnExecutionHoweverLongItIs) {
  Trace trace;
  MadeUpRunner runner(independent_writers(3, 1000));
  Icb strategy({});
  ASSERT_TRUE(runner.run({}, strategy.needs(), trace));
  const auto beyond = alternatives_of(trace, {}, 0).beyond;
  EXPECT_EQ(beyond.size(), 2u * 999 + 999);
  IcbFrontier frontier;
  frontier.add(trace, beyond);
  EXPECT_LT(frontier.bytes(), 50u);
}

}  // namespace
}  // namespace treadle
