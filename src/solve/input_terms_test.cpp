// SPDX-License-Identifier: Apache-2.0
#include "solve/input_terms.h"

#include <gtest/gtest.h>

namespace treadle {
namespace {

Expression operation(ExpressionOp op, unsigned bits) {
  Expression e{};
  e.op = static_cast<std::uint8_t>(op);
  e.bits = static_cast<std::uint8_t>(bits);
  return e;
}

struct InputTermsTest : testing::Test {
  InputTerms terms;
  const InputTerms::Input input{1, 0, 4};
  TermValue value() { return terms.input(input, 0, 32, 7); }
  TermValue is_below(std::uint64_t limit) {
    return terms.apply(operation(TREADLE_OP_ULT, 1), 32, 32, value(), TermValue::number(limit), {});
  }
  InputTerms::Conditions with(InputTerms::Conditions conditions, const TermValue& condition) {
    return terms.with(conditions, static_cast<InputTerms::Term>(condition.what));
  }
};

TEST_F(InputTermsTest, NumbersAreComputedAtOnce) {
  const auto sum = terms.apply(operation(TREADLE_OP_ADD, 8), 8, 8, TermValue::number(250), TermValue::number(10), {});
  EXPECT_EQ(sum, TermValue::number(4));
  const auto wide = terms.apply(operation(TREADLE_OP_SEXT, 16), 8, 0, TermValue::number(0x80), {}, {});
  EXPECT_EQ(wide, TermValue::number(0xff80));
}

TEST_F(InputTermsTest, EqualTermsAreOne) {
  EXPECT_EQ(is_below(3), is_below(3));
  EXPECT_NE(is_below(3), is_below(4));
}

TEST_F(InputTermsTest, WhatNobodyKnowsMakesNothingKnown) {
  EXPECT_TRUE(terms.apply(operation(TREADLE_OP_ADD, 32), 32, 32, value(), {}, {}).is_unknown());
  EXPECT_TRUE(terms.apply(operation(TREADLE_OP_ITE, 32), 1, 32, TermValue::number(0), {}, value()) == value());
}

TEST_F(InputTermsTest, ConditionsHoldTogetherOrNot) {
  const auto below = with(0, is_below(3));
  const auto not_below_two = with(below, terms.negated(is_below(2)));
  EXPECT_EQ(terms.are_possible(not_below_two), true);
  ASSERT_TRUE(terms.choose(not_below_two));
  EXPECT_EQ(terms.value(input), 2u);
  EXPECT_EQ(terms.are_possible(with(not_below_two, is_below(2))), false);
  EXPECT_EQ(terms.are_possible(not_below_two), true) << "what was asked later changes nothing";
}

TEST_F(InputTermsTest, InTheOrderInWhichTheyComeConditionsAreTheSameSet) {
  EXPECT_EQ(with(with(0, is_below(3)), is_below(5)), with(with(0, is_below(5)), is_below(3)));
}

TEST_F(InputTermsTest, EitherOfTwo) {
  const auto neither = terms.either(is_below(2), terms.negated(is_below(9)));
  const auto between = with(with(0, terms.negated(is_below(3))), is_below(8));
  EXPECT_EQ(terms.are_possible(with(between, neither)), false);
  EXPECT_EQ(terms.are_possible(with(0, neither)), true);
  EXPECT_EQ(terms.either(TermValue::number(0), is_below(2)), is_below(2));
}

}  // namespace
}  // namespace treadle
