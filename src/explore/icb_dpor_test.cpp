// SPDX-License-Identifier: Apache-2.0
#include "explore/icb_dpor.h"

#include <gtest/gtest.h>

#include <random>

#include "explore/exhaustive.h"
#include "explore/explore_all.h"

namespace treadle {
namespace {

Explored by_icb_dpor(const MadeUpProgram& program, std::optional<std::uint32_t> most = std::nullopt, std::size_t batch = 1) {
  IcbDpor strategy({}, most);
  return explore_all(program, strategy, batch);
}

Explored by_exhaustion(const MadeUpProgram& program, std::optional<std::uint32_t> bound = std::nullopt) {
  Exhaustive strategy({}, bound);
  return explore_all(program, strategy, 64);
}

std::string text_of(const MadeUpProgram& program) {
  std::string text;
  for (const auto& thread : program.threads) {
    for (const Op& op : thread) text += std::string(1, "WRLUFAOX"[op.kind]) + std::to_string(op.at) + " ";
    text += "\n";
  }
  return text;
}

/// Threads that read and write few variables, some of it under few locks, locked in any order.
MadeUpProgram random_program(std::mt19937& random, unsigned threads, unsigned operations) {
  MadeUpProgram program;
  std::uint64_t value = 0;
  for (unsigned t = 0; t < threads; ++t) {
    auto& ops = program.threads.emplace_back();
    std::vector<unsigned> held;
    while (ops.size() + held.size() < operations) {
      const unsigned what = random() % 6;
      const unsigned at = random() % 2;
      if (what < 2)
        ops.push_back({Op::Write, at, ++value});
      else if (what < 4)
        ops.push_back({Op::Read, at});
      else if (std::ranges::count(held, at) == 0)
        ops.push_back({Op::Lock, at}), held.push_back(at);
      else
        ops.push_back({Op::Unlock, at}), std::erase(held, at);
    }
    for (const unsigned at : held) ops.push_back({Op::Unlock, at});
  }
  return program;
}

TEST(IcbDpor, RunsIndependentThreadsOnce) {
  const Explored explored = by_icb_dpor(independent_writers(4, 5));
  EXPECT_EQ(explored.executions(), 1u);
  EXPECT_EQ(explored.covers, "all schedules under SC for these inputs");
}

TEST(IcbDpor, FindsADeadlockWithTheFirstPreemption) {
  const MadeUpProgram program{
      {{{Op::Lock, 0}, {Op::Lock, 1}, {Op::Unlock, 1}, {Op::Unlock, 0}}, {{Op::Lock, 1}, {Op::Lock, 0}, {Op::Unlock, 0}, {Op::Unlock, 1}}}};
  EXPECT_EQ(std::ranges::count(by_icb_dpor(program, 0).ends, TREADLE_END_DEADLOCK), 0);
  EXPECT_GE(std::ranges::count(by_icb_dpor(program, 1).ends, TREADLE_END_DEADLOCK), 1);
  EXPECT_EQ(by_icb_dpor(program).covers, "all schedules under SC for these inputs");
}

TEST(IcbDpor, SeesWithABoundExactlyWhatAllSchedulesWithThatBoundShow) {
  std::mt19937 random(20251116);
  for (int n = 0; n < 100; ++n) {
    const MadeUpProgram program = n % 2 ? random_program(random, 2, 5) : random_program(random, 3, 3);
    const Explored all = by_exhaustion(program);
    for (std::uint32_t bound = 0; bound < 4; ++bound) {
      const Explored bounded = by_exhaustion(program, bound);
      IcbDpor strategy({}, bound);
      const Explored reduced = explore_all(program, strategy, n % 3 ? 1 : 16);
      ASSERT_EQ(reduced.classes, bounded.classes) << "bound " << bound << "\n" << text_of(program);
      if (reduced.covers == all.covers) ASSERT_EQ(reduced.classes, all.classes) << text_of(program);
    }
    const Explored reduced = by_icb_dpor(program);
    ASSERT_EQ(reduced.covers, all.covers);
    ASSERT_EQ(reduced.classes, all.classes) << text_of(program);
  }
}

TEST(IcbDpor, NeverRunsAScheduleTwiceWithinABound) {
  std::mt19937 random(7);
  for (int n = 0; n < 50; ++n) {
    const MadeUpProgram program = random_program(random, 3, 3);
    IcbDpor strategy({}, 0);
    const Explored none = explore_all(program, strategy, 4);
    EXPECT_EQ(none.executions(), none.schedules.size());
  }
}

TEST(IcbDpor, GoesOnFromWhatWasSavedAsIfNothingHadHappened) {
  std::mt19937 random(11);
  for (int n = 0; n < 20; ++n) {
    const MadeUpProgram program = random_program(random, 3, 3);
    MadeUpRunner runner(program);
    const std::size_t whole = by_icb_dpor(program, 2).executions();
    auto strategy = std::make_unique<IcbDpor>(Schedule{}, 2);
    std::size_t executions = 0;
    for (auto item = strategy->next(); item; item = strategy->next()) {
      Trace trace;
      ASSERT_TRUE(runner.run(item->schedule, strategy->needs(), trace));
      if (++executions % 5 != 0) {
        strategy->learn_from(item->ticket, trace);
        continue;
      }
      const std::string bytes = strategy->save();  // with one item out, which does not come back
      --executions;
      strategy = std::make_unique<IcbDpor>(Schedule{}, 2);
      ASSERT_TRUE(strategy->load(bytes));
      EXPECT_FALSE(IcbDpor({}, 2).load(bytes + "x"));
      item = strategy->next();
      ASSERT_TRUE(runner.run(item->schedule, strategy->needs(), trace));
      strategy->learn_from(item->ticket, trace);
      ++executions;
    }
    EXPECT_EQ(executions, whole) << text_of(program);
  }
}

}  // namespace
}  // namespace treadle
