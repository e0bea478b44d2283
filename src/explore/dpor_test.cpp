// SPDX-License-Identifier: Apache-2.0
#include "explore/dpor.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "explore/exhaustive.h"
#include "explore/made_up_program.h"

namespace treadle {
namespace {

/// Two executions are of one class when they order every two conflicting operations alike. Told from the events alone, not by our
/// dependence.
using Class = std::set<std::tuple<unsigned, unsigned, unsigned, unsigned>>;

Class class_of(const Trace& trace) {
  struct Done {
    unsigned thread, number;
    std::uint64_t address;
    bool writes;
  };
  std::vector<Done> done;
  std::vector<unsigned> count(trace.threads.size());
  Class ordered;
  for (const Event& event : trace.events) {
    const Done now{event.thread, count[event.thread]++, event.address, event.kind != TREADLE_EV_ATOMIC_READ};
    for (const Done& before : done)
      if (before.thread != now.thread && before.address == now.address && (before.writes || now.writes))
        ordered.emplace(before.thread, before.number, now.thread, now.number);
    done.push_back(now);
  }
  for (unsigned t = 0; t < count.size(); ++t) ordered.emplace(t, count[t], t, count[t]);  // how far each thread came
  return ordered;
}

struct Explored {
  std::set<Class> classes;
  std::uint64_t executions = 0;
  Counts counts;
  double estimate = 0;
};

Explored explore(Strategy& strategy, const MadeUpProgram& program) {
  MadeUpRunner runner(program);
  Explored explored;
  Trace trace;
  while (auto item = strategy.next()) {
    EXPECT_TRUE(runner.run(item->schedule, strategy.needs(), trace));
    EXPECT_NE(trace.end.ending, TREADLE_END_DIVERGED);
    strategy.learn_from(item->ticket, trace);
    explored.classes.insert(class_of(trace));
    if (++explored.executions > 200'000) {
      ADD_FAILURE() << "does not end";
      break;
    }
  }
  explored.counts = strategy.counts();
  explored.estimate = strategy.estimate().value_or(0);
  return explored;
}

Explored with_dpor(const MadeUpProgram& program, Dpor::Reductions reductions = {}) {
  Dpor dpor({}, reductions);
  return explore(dpor, program);
}

std::set<Class> all_classes(const MadeUpProgram& program) {
  Exhaustive exhaustive({});
  return explore(exhaustive, program).classes;
}

const std::vector<Op> lock_both{{Op::Lock, 0}, {Op::Lock, 1}, {Op::Unlock, 0}, {Op::Unlock, 1}};

TEST(Dpor, RunsIndependentThreadsOnce) { EXPECT_EQ(with_dpor(independent_writers(4, 5)).executions, 1u); }

TEST(Dpor, RunsEachOrderOfTwoCriticalSectionsOnce) {
  const std::vector<Op> section{{Op::Lock, 0}, {Op::Write, 7, 1}, {Op::Unlock, 0}};
  const Explored explored = with_dpor({{section, section}});
  EXPECT_EQ(explored.executions, 2u);
  EXPECT_EQ(explored.classes.size(), 2u);
}

TEST(Dpor, ReadersAreOrderedWithTheWriterButNotWithEachOther) {
  const Explored explored = with_dpor({{{{Op::Read, 0}}, {{Op::Read, 0}}, {{Op::Write, 0, 1}}}});
  EXPECT_EQ(explored.executions - explored.counts.redundant, 4u);
  EXPECT_LE(explored.counts.redundant, 1u);  // one runs a sleeping reader though the writer could move
  EXPECT_EQ(explored.classes.size(), 4u);
}

TEST(Dpor, FindsTheDeadlockOfTwoLocksTakenInOppositeOrders) {
  const MadeUpProgram program{
      {{{Op::Lock, 0}, {Op::Lock, 1}, {Op::Unlock, 1}, {Op::Unlock, 0}}, {{Op::Lock, 1}, {Op::Lock, 0}, {Op::Unlock, 0}, {Op::Unlock, 1}}}};
  EXPECT_EQ(with_dpor(program).classes, all_classes(program));
}

/// The seed, §4.4: thread b touches something of its own before it takes the two locks that a takes too.
TEST(Dpor, LocksetsSaveTheBacktrackPointBeforeASecondLockThatBothTakeUnderTheFirst) {
  std::vector<Op> b = lock_both;
  b.insert(b.begin(), {Op::Write, 7, 1});
  const MadeUpProgram program{{lock_both, b}};
  const Explored with = with_dpor(program);
  EXPECT_EQ(with.executions, 2u);
  EXPECT_EQ(with.counts.blocked, 0u);
  const Explored without = with_dpor(program, {.locksets = false});
  EXPECT_EQ(without.executions, 3u);
  EXPECT_EQ(without.counts.blocked, 1u);  // the sleep set notices
  EXPECT_EQ(without.classes, with.classes);
  EXPECT_GT(with_dpor(program, {.locksets = false, .sleep_sets = false}).executions, 3u);
}

TEST(Dpor, WithoutSleepSetsExploresTheSameClassesMoreThanOnce) {
  const MadeUpProgram program{{{{Op::Write, 0, 1}, {Op::Read, 1}}, {{Op::Write, 1, 1}, {Op::Read, 0}}, {{Op::Write, 0, 2}}}};
  const Explored with = with_dpor(program);
  const Explored without = with_dpor(program, {.sleep_sets = false});
  EXPECT_EQ(with.classes, without.classes);
  EXPECT_GT(without.executions, with.executions);
}

/// Where the write of y could come before the second thread's read, it sleeps; but in the race that was seen, the third thread reads y
/// before it. Taking "it sleeps" for "that has been explored" loses two classes here: docs/fidelity.md.
TEST(Dpor, ASleepingThreadIsNoExcuseWhenTheRaceNeedsAnotherToMoveFirst) {
  const unsigned x = 0, y = 1, a = 10, b = 11;
  const MadeUpProgram program{{{{Op::Write, x, 1}, {Op::Write, y, 1}, {Op::Lock, b}, {Op::Read, x}, {Op::Unlock, b}},
                               {{Op::Lock, a}, {Op::Unlock, a}, {Op::Lock, b}, {Op::Unlock, b}, {Op::Read, y}},
                               {{Op::Lock, a}, {Op::Read, y}, {Op::Unlock, a}}}};
  const Explored explored = with_dpor(program);
  EXPECT_EQ(explored.classes.size(), 11u);
  EXPECT_EQ(explored.classes, all_classes(program));
}

TEST(Dpor, EstimateIsExactAtTheEnd) {
  const Explored explored = with_dpor({{{{Op::Write, 0, 1}, {Op::Write, 1, 1}}, {{Op::Write, 0, 2}, {Op::Write, 1, 2}}}});
  EXPECT_NEAR(explored.estimate, static_cast<double>(explored.executions), 1e-6);
}

/// A program without deadlock: locks are taken one at a time or in the order of their numbers, and given back.
MadeUpProgram some_program(std::mt19937& random) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  MadeUpProgram program;
  program.threads.resize(2 + below(2));
  for (auto& thread : program.threads) {
    for (unsigned i = 0, n = 1 + below(3); i < n; ++i) {
      const Op access{below(2) == 0 ? Op::Read : Op::Write, below(2), below(3)};
      if (below(3) != 0) {
        thread.push_back(access);
        continue;
      }
      const unsigned lock = 10 + below(2);
      thread.push_back({Op::Lock, lock});
      if (below(2) == 0) thread.push_back(access);
      thread.push_back({Op::Unlock, lock});
    }
  }
  return program;
}

TEST(Dpor, ReachesEveryClassOfRandomProgramsAndNoneTwice) {
  std::mt19937 random(1);
  for (int i = 0; i < 100; ++i) {
    const MadeUpProgram program = some_program(random);
    const Explored explored = with_dpor(program);
    const std::set<Class> expected = all_classes(program);
    ASSERT_EQ(explored.classes, expected) << "program " << i;
    EXPECT_EQ(explored.executions - explored.counts.blocked - explored.counts.redundant, expected.size()) << "program " << i;
    const Explored plain = with_dpor(program, {.sleep_sets = false});
    ASSERT_EQ(plain.classes, expected) << "program " << i;
  }
}

TEST(Dpor, RunsEachOrderOfManyCriticalSectionsOnce) {
  const std::vector<Op> sections{{Op::Lock, 0}, {Op::Unlock, 0}, {Op::Lock, 0}, {Op::Unlock, 0}, {Op::Lock, 0}, {Op::Unlock, 0}};
  const Explored explored = with_dpor({{sections, sections}});
  EXPECT_EQ(explored.executions, 20u);  // 6! / (3! 3!)
}

}  // namespace
}  // namespace treadle
