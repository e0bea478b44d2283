// SPDX-License-Identifier: Apache-2.0
#include "explore/run_order.h"

#include <gtest/gtest.h>

#include <random>

#include "explore/exhaustive.h"
#include "explore/explore_all.h"
#include "explore/known_runs.h"

namespace treadle {
namespace {

MadeUpProgram at_random(std::mt19937_64& random) {
  MadeUpProgram program;
  program.threads.resize(2 + random() % 2);
  for (auto& ops : program.threads) {
    const bool locks = random() % 3 == 0;
    if (locks) ops.push_back({Op::Lock, 7});
    for (std::size_t n = 1 + random() % 2; n > 0; --n)
      ops.push_back({random() % 2 == 0 ? Op::Read : Op::Write, static_cast<unsigned>(random() % 2), random() % 3});
    if (locks) ops.push_back({Op::Unlock, 7});
  }
  return program;
}

/// All executions of it, a schedule each.
std::vector<Trace> all_executions(const MadeUpProgram& program) {
  Exhaustive strategy({}, std::nullopt);
  MadeUpRunner runner(program);
  Recording recording;
  recording.choices = true;
  std::vector<Trace> all;
  while (const auto item = strategy.next()) {
    all.emplace_back();
    EXPECT_TRUE(runner.run(item->schedule, recording, all.back()));
    strategy.learn_from(item->ticket, all.back());
  }
  return all;
}

bool same_events(const Trace& a, const Trace& b) {
  return std::ranges::equal(a.events, b.events, [](const Event& x, const Event& y) {
    return x.kind == y.kind && x.thread == y.thread && x.step == y.step && x.address == y.address && x.value == y.value &&
           x.extra == y.extra;
  });
}

bool begins_with(const Trace& trace, std::span<const Decision> prefix) {
  return prefix.size() <= trace.choices.size() &&
         std::equal(prefix.begin(), prefix.end(), trace.choices.begin(), [](const Decision& d, const Choice& c) { return c.taken == d; });
}

TEST(RunOrder, SaysWhatIsRecordedWhenTheSameStepsAreMadeInAnotherOrder) {
  std::mt19937_64 random(1);
  std::size_t found = 0, none = 0;
  for (unsigned n = 0; n < 60; ++n) {
    const MadeUpProgram program = at_random(random);
    const std::vector<Trace> all = all_executions(program);
    for (unsigned tries = 0; tries < 20; ++tries) {
      const Trace& made = all[random() % all.size()];
      const std::vector<Decision> other = decisions_of(all[random() % all.size()]);
      const auto prefix = std::span(other).first(random() % (other.size() + 1));
      const RunOrder run(made, Races::Stop, MemoryModel::Sc);
      const auto order = run.beginning_with(made, prefix);
      const bool possible =
          std::ranges::any_of(all, [&](const Trace& t) { return begins_with(t, prefix) && class_of(t) == class_of(made); });
      ASSERT_EQ(order.has_value(), possible) << "program " << n;
      ++(order ? found : none);
      if (!order) continue;
      const Trace told = run.reordered(made, *order);
      EXPECT_TRUE(begins_with(told, prefix));
      const auto as_run = std::ranges::find_if(all, [&](const Trace& t) { return begins_with(t, decisions_of(told)); });
      ASSERT_NE(as_run, all.end()) << "program " << n << ": an order that cannot be made";
      EXPECT_TRUE(same_events(told, *as_run)) << "program " << n;
      EXPECT_EQ(told.end.ending, as_run->end.ending);
    }
  }
  EXPECT_GT(found, 100u);
  EXPECT_GT(none, 100u);
}

TEST(KnownRuns, FindAnExecutionByWhatItWouldBeginWithInAnotherOrder) {
  const MadeUpProgram program{{{{Op::Write, 0, 1}}, {{Op::Write, 1, 1}}, {{Op::Read, 0}}}};
  const std::vector<Trace> all = all_executions(program);
  KnownRuns runs(Races::Stop, MemoryModel::Sc);
  const auto step = [](unsigned thread) { return Decision{DecisionKind::Step, ThreadId{static_cast<std::uint8_t>(thread)}, 0}; };
  const std::vector<Decision> in_turn{step(0), step(1), step(2)}, reads_first{step(2), step(0)}, writes_first{step(1), step(0)};
  const auto made = std::ranges::find_if(all, [&](const Trace& t) { return begins_with(t, in_turn); });
  ASSERT_NE(made, all.end());
  runs.keep(*made, {}, true, KnownRuns::Told::No);
  const auto any = [](const Trace&) { return true; };
  EXPECT_FALSE(runs.beginning_with(reads_first, {}, any)) << "the read would see another value";
  EXPECT_FALSE(runs.beginning_with(writes_first, {}, [](const Trace&) { return false; })) << "it is of no use";
  EXPECT_TRUE(runs.beginning_with(writes_first, {}, any));
  KnownRuns told(Races::Stop, MemoryModel::Sc);
  told.keep(*made, {}, true, KnownRuns::Told::Yes);
  EXPECT_FALSE(told.beginning_with(writes_first, {}, any)) << "the search knows it";
  told.begin_search();
  EXPECT_TRUE(told.beginning_with(writes_first, {}, any)) << "another search does not";
  KnownRuns as_made(Races::Stop, MemoryModel::Sc);
  as_made.keep(*made, {}, false, KnownRuns::Told::No);
  EXPECT_TRUE(as_made.beginning_with(std::span(in_turn).first(2), {}, any));
  EXPECT_FALSE(as_made.beginning_with(writes_first, {}, any)) << "something raced in it";
}

}  // namespace
}  // namespace treadle
