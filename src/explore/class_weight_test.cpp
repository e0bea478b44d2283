// SPDX-License-Identifier: Apache-2.0
#include "explore/class_weight.h"

#include <gtest/gtest.h>

#include <random>

#include "explore/explore_all.h"
#include "explore/optimal.h"
#include "explore/probes.h"

namespace treadle {
namespace {

const Recording with_choices{.choices = true, .stacks_at = {}};

/// f(trace, probability) for all executions.
template <class F>
void each_execution(const MadeUpProgram& program, F f) {
  MadeUpRunner runner(program);
  std::vector<std::vector<Decision>> open{{}};
  while (!open.empty()) {
    Schedule schedule;
    schedule.prefix = std::move(open.back());
    open.pop_back();
    Trace trace;
    EXPECT_TRUE(runner.run(schedule, with_choices, trace));
    double probability = 1;
    std::vector<Decision> taken;
    for (std::size_t c = 0; c < trace.choices.size(); ++c) {
      const Choice& choice = trace.choices[c];
      probability /= choice.alternatives;
      for (std::uint32_t a = 1; c >= schedule.prefix.size() && a < choice.alternatives; ++a) {
        open.push_back(taken);
        open.back().push_back(trace.alternatives[choice.first_alternative + a]);
      }
      taken.push_back(choice.taken);
    }
    f(trace, probability);
  }
}

struct Expected {
  double probability = 0, classes = 0, schedules = 0;
  std::uint64_t executions = 0;
};

Expected expected(const MadeUpProgram& program) {
  ClassWeight weight{Schedule{}};
  Expected sum;
  each_execution(program, [&](const Trace& trace, double probability) {
    sum.probability += probability;
    sum.classes += probability * weight.of(trace).exact;
    sum.schedules += probability * schedules_behind(trace);
    ++sum.executions;
  });
  return sum;
}

std::uint64_t classes_of(const MadeUpProgram& program) {
  Optimal optimal{Schedule{}};
  return explore_all(program, optimal).classes.size();
}

/// Two or three threads of a few accesses each, some of them in locks (which may deadlock).
MadeUpProgram made_up(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  MadeUpProgram program;
  program.threads.resize(2 + below(2));
  for (auto& ops : program.threads)
    for (unsigned n = 1 + below(program.threads.size() == 2 ? 4 : 2); n > 0; --n) {
      const unsigned lock = below(4);
      if (lock < 2) ops.push_back({Op::Lock, lock});
      const unsigned inner = below(6);
      if (lock < 2 && inner < 2 && inner != lock) ops.push_back({Op::Lock, inner});
      ops.push_back({below(2) == 0 ? Op::Write : Op::Read, below(2), below(3)});
      if (lock < 2 && inner < 2 && inner != lock) ops.push_back({Op::Unlock, inner});
      if (lock < 2) ops.push_back({Op::Unlock, lock});
    }
  return program;
}

TEST(ClassWeight, OverAllExecutionsIsExactlyTheNumberOfClasses) {
  std::uint64_t deadlocking = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const MadeUpProgram program = made_up(seed);
    const Expected sum = expected(program);
    const auto classes = static_cast<double>(classes_of(program));
    ASSERT_NEAR(sum.probability, 1, 1e-9);
    EXPECT_NEAR(sum.classes, classes, 1e-6 * classes) << "seed " << seed;
    EXPECT_NEAR(sum.schedules, static_cast<double>(sum.executions), 1e-6 * static_cast<double>(sum.executions)) << "seed " << seed;
    Optimal optimal{Schedule{}};
    const auto ends = explore_all(program, optimal).ends;
    deadlocking += std::ranges::count(ends, TREADLE_END_DEADLOCK) > 0;
  }
  EXPECT_GT(deadlocking, 0u);
}

/// What is known, and on average the weights of the rest.
double over_and_open(const MadeUpProgram& program, ExecutionTree& tree) {
  ClassWeight weight{Schedule{}};
  auto sum = static_cast<double>(tree.executions_over());
  each_execution(program, [&](const Trace& trace, double probability) {
    const double classes = weight.of(trace).exact;
    Sequence actions;
    for (const Transition& transition : weight.transitions()) actions.push_back(tree.actions()[transition.action]);
    auto sought = tree.seek(std::move(actions));
    if (!tree.is_over(sought)) sum += probability * classes;
  });
  return sum;
}

TEST(ClassWeight, OfWhatIsNotOverIsExactlyWhatRemainsAtAnyTimeOfASearch) {
  unsigned in_between = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const MadeUpProgram program = made_up(seed);
    const auto classes = static_cast<double>(classes_of(program));
    MadeUpRunner runner(program);
    Optimal optimal{Schedule{}};
    for (unsigned n = 0; const auto item = optimal.next(); ++n) {
      Trace trace;
      ASSERT_TRUE(runner.run(item->schedule, optimal.needs(), trace));
      optimal.learn_from(item->ticket, trace);
      if (n % 5 != 0) continue;
      ASSERT_NEAR(over_and_open(program, *optimal.classes()), classes, 1e-6 * classes) << "seed " << seed << ", execution " << n;
      in_between += optimal.classes()->executions_over() > 0 && !optimal.classes()->is_finished();
    }
    EXPECT_EQ(optimal.classes()->executions_over(), static_cast<std::uint64_t>(classes));
  }
  EXPECT_GT(in_between, 50u);
}

TEST(ClassWeight, OfThreadsThatShareNothingIsAlwaysOne) {
  const Expected sum = expected(independent_writers(3, 2));
  EXPECT_NEAR(sum.classes, 1, 1e-9);
}

TEST(ClassWeight, OfThreadsOfWhichEachWritesTheSameOnceNeverVaries) {
  MadeUpProgram program;
  for (unsigned t = 0; t < 5; ++t) program.threads.push_back({{Op::Write, 0, t}});
  MadeUpRunner runner(program);
  Schedule schedule;
  ClassWeight weight(schedule);
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    make_probe(schedule, seed);
    Trace trace;
    ASSERT_TRUE(runner.run(schedule, with_choices, trace));
    EXPECT_NEAR(weight.of(trace).exact, 120, 1e-6);
  }
}

TEST(Probes, HaveAMeanWithinAFewStandardErrorsOfTheTruth) {
  for (const std::uint64_t seed : {3, 7, 19}) {
    const MadeUpProgram program = made_up(seed);
    MadeUpRunner runner(program);
    Probes probes(Size::Classes, Schedule{}, nullptr);
    for (unsigned n = 0; n < 3000; ++n) {
      Trace trace;
      ASSERT_TRUE(runner.run(probes.next(), with_choices, trace));
      probes.learn_from(trace);
    }
    const auto size = probes.size();
    ASSERT_TRUE(size);
    EXPECT_EQ(size->probes, 3000u);
    EXPECT_FALSE(size->at_least);
    EXPECT_NEAR(size->executions, static_cast<double>(classes_of(program)), 4 * size->standard_error + 1e-9) << "seed " << seed;
  }
}

TEST(Probes, AreAFewInAHundredAndComeByTheNumberOfExecutions) {
  Probes probes(Size::Classes, Schedule{}, nullptr);
  EXPECT_EQ(probes.due(63), 0u);
  std::uint64_t made = 0;
  for (std::uint64_t executions = 1; executions <= 100'000; ++executions)
    for (std::size_t due = probes.due(executions); due > 0; --due, ++made) probes.next();
  EXPECT_GT(made, 1000u);
  EXPECT_LT(made, 2000u);
  EXPECT_EQ(Probes(Size::Unknown, Schedule{}, nullptr).due(100'000), 0u);
}

}  // namespace
}  // namespace treadle
