// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "explore/made_up_program.h"
#include "explore/pct.h"
#include "explore/random.h"

namespace treadle {
namespace {

Schedule seeded(std::uint64_t seed) {
  Schedule schedule;
  schedule.seed = seed;
  return schedule;
}

std::vector<Schedule> sampled(Strategy& strategy, Runner& runner, std::size_t count, std::size_t batch, std::vector<Trace>* all = nullptr) {
  std::vector<Schedule> asked;
  while (asked.size() < count) {
    std::vector<Schedule> schedules;
    std::vector<Ticket> tickets;
    for (std::size_t n = std::min({batch, strategy.ahead(), count - asked.size()}); n > 0; --n) {
      const auto item = strategy.next();
      schedules.push_back(item->schedule);
      tickets.push_back(item->ticket);
    }
    std::vector<Trace> traces;
    EXPECT_TRUE(runner.run_batch(schedules, strategy.needs(), traces));
    for (std::size_t i = traces.size(); i-- > 0;) strategy.learn_from(tickets[i], traces[i]);  // any order will do
    asked.insert(asked.end(), schedules.begin(), schedules.end());
    if (all) all->insert(all->end(), traces.begin(), traces.end());
  }
  for (Schedule& schedule : asked) schedule.threads.clear();  // only grow as threads become known
  return asked;
}

TEST(Random, SameSeedGivesTheSameSchedulesWhateverTheBatches) {
  MadeUpRunner runner(independent_writers(3, 4));
  Random one(seeded(7)), two(seeded(7)), other(seeded(8));
  const auto first = sampled(one, runner, 200, 1);
  EXPECT_EQ(first, sampled(two, runner, 200, 64));
  EXPECT_NE(first, sampled(other, runner, 200, 64));
  EXPECT_EQ(one.covers(), "200 random schedules only");
}

TEST(Random, ReachesAllSchedulesOfASmallProgram) {
  MadeUpRunner runner(independent_writers(2, 3));
  Random strategy(seeded(1));
  std::vector<Trace> traces;
  sampled(strategy, runner, 2000, 100, &traces);
  std::set<std::vector<unsigned>> seen;
  for (const Trace& trace : traces) {
    std::vector<unsigned> order;
    for (const Choice& choice : trace.choices) order.push_back(index_of(choice.taken.thread));
    seen.insert(order);
  }
  EXPECT_EQ(seen.size(), 20u);
}

TEST(Pct, SameSeedGivesTheSameSchedulesWhateverTheBatches) {
  MadeUpRunner runner(independent_writers(3, 4));
  Pct one(seeded(7), 3), two(seeded(7), 3);
  EXPECT_EQ(sampled(one, runner, 300, 1), sampled(two, runner, 300, 64));
}

TEST(Pct, TakesThreadsAndStepsFromTheFirstRuns) {
  MadeUpRunner runner(independent_writers(3, 4));
  Pct strategy(seeded(1), 2);
  sampled(strategy, runner, 100, 10);
  EXPECT_EQ(strategy.threads(), 3u);
  EXPECT_EQ(strategy.length(), 12u);
  EXPECT_DOUBLE_EQ(strategy.chance_per_execution(), 1.0 / (3 * 12));
}

/// Thread 1 must write between the last two steps of thread 0, deep in a long run: depth 2, and the bound is tight for it.
MadeUpProgram needle(unsigned padding) {
  MadeUpProgram program{{{}, {}}};
  for (unsigned i = 0; i < padding; ++i) program.threads[0].push_back({Op::Write, 1, i});
  program.threads[0].push_back({Op::Write, 0, 1});
  program.threads[0].push_back({Op::FailIf, 0, 2});
  for (unsigned i = 0; i < padding; ++i) program.threads[1].push_back({Op::Write, 2, i});
  program.threads[1].push_back({Op::Write, 0, 2});
  return program;
}

TEST(Pct, FindsABugOfItsDepthAsOftenAsItPromises) {
  MadeUpRunner runner(needle(20));
  Pct strategy(seeded(3), 2);
  std::vector<Trace> traces;
  sampled(strategy, runner, 20'000, 256, &traces);
  std::size_t failed = 0;
  for (const Trace& trace : traces) failed += trace.end.ending == TREADLE_END_ASSERTION;
  const double promised = strategy.chance_per_execution(), deviation = std::sqrt(promised / static_cast<double>(traces.size()));
  EXPECT_NEAR(static_cast<double>(failed) / static_cast<double>(traces.size()), promised, 4 * deviation);
  EXPECT_NE(strategy.covers().find("20000 PCT schedules of depth 2 only"), std::string::npos) << strategy.covers();
  EXPECT_NE(strategy.covers().find("1/86"), std::string::npos) << strategy.covers();
}

}  // namespace
}  // namespace treadle
