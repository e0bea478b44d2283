// SPDX-License-Identifier: Apache-2.0
#include "explore/inputs_around_schedules.h"

#include <gtest/gtest.h>

#include <set>

#include "trace/made_up_symbolic.h"

namespace treadle {
namespace {

constexpr std::uint64_t x = 0x1000, y = 0x2000;

/// Thread 1: y = 1, in = an input; x = in. Thread 2: is x == 5?
struct Program {
  bool has_input = true;
  bool pins = false;  // what thread 2 reads is used in a way without a model

  MadeUpSymbolicTrace run(const Schedule& schedule, std::set<bool>& was_five) const {
    MadeUpSymbolicTrace made;
    std::vector<unsigned> order;
    for (const Decision& d : schedule.prefix) order.push_back(index_of(d.thread));
    for (const unsigned t : {1u, 1u, 2u})
      if (std::ranges::count(order, t) < (t == 1 ? 2 : 1)) order.push_back(t);
    std::uint64_t memory = 0;
    ExpressionId value = 0;
    for (const unsigned t : order) {
      if (t == 1 && value == 0) {
        made.write(1, y, made.number(1), 0);
        const auto& given = schedule.inputs.threads;
        value = has_input ? input(made, given.empty() ? 0 : given.front().values.front() & 0xffffffff) : made.number(3);
      } else if (t == 1) {
        made.write(1, x, value, memory);
        memory = made.e.value(value);
      } else {
        const ExpressionId is = made.is(made.read(2, x, memory), pins ? memory : 5);
        was_five.insert(memory == 5);
        made.note(2, pins ? TREADLE_NOTE_PIN : TREADLE_NOTE_BRANCH, made.e.value(is) != 0 ? is : made.e.make(TREADLE_OP_NOT, 1, is));
      }
    }
    made.end(TREADLE_END_COMPLETED);
    return made;
  }

 private:
  /// In the step before.
  static ExpressionId input(MadeUpSymbolicTrace& made, std::uint64_t value) {
    Expression e{};
    e.op = TREADLE_OP_INPUT;
    e.bits = 32;
    e.a = static_cast<std::uint32_t>(made.event(1, TREADLE_EV_INPUT, 0, value, 0, 0, 4));
    e.b = static_cast<std::uint32_t>(value);
    made.trace.choices.pop_back();
    --made.trace.events.back().step;
    made.trace.expressions.push_back(e);
    return static_cast<ExpressionId>(made.trace.expressions.size() - 1);
  }
};

struct Explored {
  std::set<bool> was_five;
  unsigned executions = 0;
};

Explored explore(const Program& program, InputsAroundSchedules& strategy) {
  Explored explored;
  while (auto item = strategy.next()) {
    const MadeUpSymbolicTrace made = program.run(item->schedule, explored.was_five);
    strategy.learn_from(item->ticket, made.trace);
    if (++explored.executions == 1000) break;
  }
  return explored;
}

Schedule base() {
  Schedule schedule;
  schedule.races = Races::Explore;
  return schedule;
}

TEST(InputsAroundSchedules, EveryScheduleIsRunForEachClassOfInputs) {
  InputsAroundSchedules strategy(base(), {.why = "a test"});
  const Explored explored = explore({}, strategy);
  EXPECT_EQ(explored.was_five, (std::set<bool>{false, true}));
  EXPECT_TRUE(strategy.is_over());
  EXPECT_EQ(strategy.classes_of_inputs(), 2u);
  EXPECT_EQ(explored.executions, 4u);
  EXPECT_EQ(strategy.counts().paths, 2u);
  EXPECT_EQ(strategy.counts().redundant, 2u);
  EXPECT_EQ(strategy.gaps(), "");
  EXPECT_EQ(strategy.covers(),
            "all schedules under SC and all inputs, with every outcome of racy plain accesses, by 2 paths, run schedule by schedule for 2 "
            "classes of inputs because of a test");
}

TEST(InputsAroundSchedules, WithoutInputsThereIsOneSearchWhichDoesNotRepeatWhatItBeginsWith) {
  std::set<bool> was_five;
  const Program program{.has_input = false};
  auto begun = std::make_unique<Value>(base(), ClassBy::Values);
  begun->take_note(program.run(base(), was_five).trace);
  InputsAroundSchedules strategy(base(), {.why = "a test"}, {.without_inputs = std::move(begun)});
  EXPECT_EQ(explore(program, strategy).executions, 1u);
  EXPECT_TRUE(strategy.is_over());
  EXPECT_EQ(strategy.gaps(), "");
}

TEST(InputsAroundSchedules, AValueUsedInAWayWithoutAModelIsTriedSoManyTimesAndTheRestIsTold) {
  InputsAroundSchedules strategy(base(), {.most_values = 4, .why = "a test"});
  const Explored explored = explore({.pins = true}, strategy);
  EXPECT_EQ(explored.executions, 10u);
  EXPECT_EQ(strategy.gaps(), "a value that is used in a way without a model has more than 4 values");
}

TEST(InputsAroundSchedules, WhatWasExecutedBeforeIsRedundant) {
  std::set<bool> was_five;
  Schedule schedule = base();
  const MadeUpSymbolicTrace made = Program{}.run(schedule, was_five);
  InputsAroundSchedules strategy(base(), {.why = "a test"},
                                 {.paths = {number_of_path(PathExecution(made.trace, schedule, 0))}, .has_inputs = true});
  EXPECT_EQ(explore({}, strategy).executions, 4u);
  EXPECT_EQ(strategy.counts().redundant, 3u);
}

TEST(InputsAroundSchedules, AnExecutionThatWasMadeBeforeIsNotMadeAgain) {
  std::set<bool> was_five;
  Schedule schedule = base();
  const MadeUpSymbolicTrace made = Program{}.run(schedule, was_five);
  InputsAroundSchedules strategy(base(), {.why = "a test"}, {.has_inputs = true, .first = made.trace});
  EXPECT_EQ(explore({}, strategy).executions, 3u);
  EXPECT_EQ(strategy.classes_of_inputs(), 2u);
}

}  // namespace
}  // namespace treadle
