// SPDX-License-Identifier: Apache-2.0
#include "solve/input_conditions.h"

#include <gtest/gtest.h>

#include "trace/made_up_symbolic.h"

namespace treadle {
namespace {

constexpr std::uint64_t x = 0x1000;

struct InputConditionsTest : testing::Test {
  MadeUpSymbolicTrace made;
  InputTerms terms;
  GivenValues given;

  /// Four bytes.
  ExpressionId input(unsigned thread, std::uint64_t value) {
    const std::uint64_t event = made.event(thread, TREADLE_EV_INPUT, 0, value, 0, 0, 4);
    Expression e{};
    e.op = TREADLE_OP_INPUT;
    e.bits = 32;
    e.a = static_cast<std::uint32_t>(event);
    e.b = static_cast<std::uint32_t>(value);
    made.trace.expressions.push_back(e);
    return static_cast<ExpressionId>(made.trace.expressions.size() - 1);
  }
  void branches(unsigned thread, ExpressionId condition) { made.note(thread, TREADLE_NOTE_BRANCH, condition); }
  ExpressionId no(ExpressionId condition) { return made.e.make(TREADLE_OP_NOT, 1, condition); }

  InputConditions found() { return conditions_on_inputs(made.trace, given, terms); }
  /// Rules out what was found; the value that is left for the first input of a thread.
  std::optional<std::uint64_t> another(unsigned thread) {
    std::vector<InputTerms::Term> all;
    for (const InputCondition& condition : found().all) all.push_back(condition.term);
    terms.rule_out(all);
    if (terms.choose_any({}, 10) != Answer::Yes) return std::nullopt;
    return terms.value({thread, 0, 8}).value() & 0xffffffff;
  }
};

TEST_F(InputConditionsTest, AReadIsWhatWasWrittenThereLast) {
  made.write(1, x, made.plus(input(1, 3), 4), 0);
  branches(2, no(made.is(made.read(2, x, 7), 9)));
  EXPECT_EQ(another(1), 5u);
}

TEST_F(InputConditionsTest, WhatIsReadBeforeItIsWrittenAsksNothing) {
  const ExpressionId in = input(1, 3);
  branches(2, no(made.is(made.read(2, x, 0), 9)));
  made.write(1, x, in, 0);
  EXPECT_TRUE(found().all.empty());
}

TEST_F(InputConditionsTest, WithoutInputsThereIsNothingToAsk) {
  made.write(1, x, made.number(3), 0);
  branches(2, made.is(made.read(2, x, 3), 3));
  EXPECT_TRUE(found().all.empty());
}

TEST_F(InputConditionsTest, WhatNoExpressionStandsForKeepsItsValue) {
  made.write(1, x, input(1, 3), 0);
  made.event(2, TREADLE_EV_READ, x, 3, 0, 0, 4);
  const InputConditions all = found();
  ASSERT_FALSE(all.all.empty());
  EXPECT_TRUE(all.all.front().pinned.has_value());
  EXPECT_NE(another(1).value(), 3u);
}

TEST_F(InputConditionsTest, WhatCodeWithoutHooksHasLeftIsAsItWas) {
  made.write(1, x, input(1, 0x03030303), 0);
  branches(2, made.is(made.read(2, x, 0x08080808), 0x08080808));
  EXPECT_TRUE(found().all.empty());
}

TEST_F(InputConditionsTest, StoresUnderWayAreSeenByTheirThreadOnly) {
  const ExpressionId in = input(1, 3);
  const std::uint64_t store = made.event(1, TREADLE_EV_WRITE, x, 3, 0, 0, 4, TREADLE_ORDER_BUFFERED);
  made.note(1, TREADLE_NOTE_WRITE, in);
  branches(2, made.is(made.read(2, x, 0), 0));
  EXPECT_TRUE(found().all.empty());
  branches(1, made.is(made.read(1, x, 3), 3));
  EXPECT_EQ(found().all.size(), 1u);
  made.event(1, TREADLE_EV_FLUSH, x, 3, store, 0, 4);
  branches(2, no(made.is(made.read(2, x, 3), 4)));
  EXPECT_EQ(found().all.size(), 2u);
}

TEST_F(InputConditionsTest, PartsOfWhatWasWrittenArePartsOfTheTerm) {
  made.write(1, x, input(1, 0x0102), 0);
  const std::uint64_t byte = made.event(2, TREADLE_EV_READ, x + 1, 1, 0, 0, 1);
  const ExpressionId read = made.e.read(byte, 1, 8);
  branches(2, no(made.e.make(TREADLE_OP_EQ, 1, read, made.e.constant(7, 8))));
  EXPECT_EQ(another(1).value() >> 8 & 0xff, 7u);
}

TEST_F(InputConditionsTest, WhatIsGivenAndLiesOutsideItsRangeIsBroughtIn) {
  const InputRange range{5, 8};
  EXPECT_EQ(range.brought_in(7), 7u);
  EXPECT_EQ(range.brought_in(9), 6u);
  EXPECT_EQ((InputRange{static_cast<std::uint64_t>(-2), 2}.brought_in(static_cast<std::uint64_t>(-1))), static_cast<std::uint64_t>(-1));
}

/// while (x != 5): whether it looks again depends on whether the value has changed.
TEST_F(InputConditionsTest, WhatIsWrittenWhereALoopSpinsKeepsItsValue) {
  const ExpressionId in = input(1, 3);
  made.event(2, TREADLE_EV_ITERATION, 0x77, 1);
  branches(2, no(made.is(made.read(2, x, 0), 5)));
  made.write(1, x, in, 0);
  made.event(2, TREADLE_EV_SPIN, x, 1, 1);
  const InputConditions all = found();
  ASSERT_FALSE(all.all.empty());
  for (const InputCondition& condition : all.all) EXPECT_TRUE(condition.pinned.has_value());
}

}  // namespace
}  // namespace treadle
