// SPDX-License-Identifier: Apache-2.0
#include "solve/bit_blaster.h"

#include <gtest/gtest.h>

#include <memory>

#include "solve/made_up_expressions.h"

namespace treadle {
namespace {

constexpr SolveLimit long_enough{60};

std::vector<ExpressionOp> operations_of_one_width() {
  std::vector<ExpressionOp> ops{TREADLE_OP_NOT, TREADLE_OP_NEG};
  for (int op = TREADLE_OP_ADD; op <= TREADLE_OP_SLE; ++op)
    if (op != TREADLE_OP_CONCAT) ops.push_back(static_cast<ExpressionOp>(op));
  return ops;
}

/// "These free bits are this number", one assumption for each.
void assume_value(std::vector<Literal>& assumptions, const Bits& bits, std::uint64_t value) {
  for (std::size_t i = 0; i < bits.size(); ++i) assumptions.push_back((value >> i & 1) != 0 ? bits[i].literal() : ~bits[i].literal());
}

TEST(BitBlaster, ComputesEveryOperationOnEverySmallNumber) {
  for (const ExpressionOp op : operations_of_one_width()) {
    for (const unsigned bits : {1u, 2u, 3u}) {
      const auto solver = make_acyclic_solver();
      BitBlaster blaster(*solver);
      const Bits a = blaster.fresh(bits), b = blaster.fresh(bits);
      const Bits result = blaster.apply(op, a, b);
      for (std::uint64_t x = 0; x < 1u << bits; ++x) {
        for (std::uint64_t y = 0; y < 1u << bits; ++y) {
          std::vector<Literal> operands;
          assume_value(operands, a, x);
          assume_value(operands, b, y);
          ASSERT_EQ(solver->solve(operands, long_enough), Answer::Yes) << text_of(op) << " " << x << " " << y;
          EXPECT_EQ(blaster.value(result), apply(op, x, y, bits)) << text_of(op) << " of " << bits << " bits: " << x << " " << y;
        }
      }
    }
  }
}

TEST(BitBlaster, HasOneResultForGivenOperandsOfAnyWidth) {
  MadeUpExpressions random(1);
  for (const ExpressionOp op : operations_of_one_width()) {
    for (const unsigned bits : {7u, 8u, 16u, 32u, 64u}) {
      const auto solver = make_acyclic_solver();
      BitBlaster blaster(*solver);
      const Bits a = blaster.fresh(bits), b = blaster.fresh(bits);
      const Bits result = blaster.apply(op, a, b);
      for (int round = 0; round < 6; ++round) {
        const std::uint64_t x = random.value(bits), y = random.value(bits), expected = apply(op, x, y, bits);
        std::vector<Literal> assumptions;
        assume_value(assumptions, a, x);
        assume_value(assumptions, b, y);
        ASSERT_EQ(solver->solve(assumptions, long_enough), Answer::Yes) << text_of(op) << " " << bits;
        ASSERT_EQ(blaster.value(result), expected) << text_of(op) << " of " << bits << " bits: " << x << " " << y;
        const Truth other = ~blaster.equal(result, blaster.constant(expected, static_cast<unsigned>(result.size())));
        ASSERT_TRUE(other.is_open());
        assumptions.push_back(other.literal());
        EXPECT_EQ(solver->solve(assumptions, long_enough), Answer::No) << text_of(op) << " of " << bits << " bits: " << x << " " << y;
      }
    }
  }
}

TEST(BitBlaster, HasOneResultWhenOneOperandIsAConstant) {
  MadeUpExpressions random(2);
  for (const ExpressionOp op : operations_of_one_width()) {
    for (const unsigned bits : {1u, 5u, 8u, 32u, 64u}) {
      for (int round = 0; round < 6; ++round) {
        const auto solver = make_acyclic_solver();
        BitBlaster blaster(*solver);
        const std::uint64_t x = random.value(bits), y = random.value(bits), expected = apply(op, x, y, bits);
        const bool first_is_free = random.below(2) == 0;
        const Bits a = first_is_free ? blaster.fresh(bits) : blaster.constant(x, bits);
        const Bits b = first_is_free ? blaster.constant(y, bits) : blaster.fresh(bits);
        const Bits result = blaster.apply(op, a, b);
        std::vector<Literal> assumptions;
        assume_value(assumptions, first_is_free ? a : b, first_is_free ? x : y);
        ASSERT_EQ(solver->solve(assumptions, long_enough), Answer::Yes) << text_of(op) << " " << bits;
        ASSERT_EQ(blaster.value(result), expected) << text_of(op) << " of " << bits << " bits: " << x << " " << y;
        const Truth other = ~blaster.equal(result, blaster.constant(expected, static_cast<unsigned>(result.size())));
        if (other.is_false()) continue;
        assumptions.push_back(other.literal());
        EXPECT_EQ(solver->solve(assumptions, long_enough), Answer::No) << text_of(op) << " of " << bits << " bits: " << x << " " << y;
      }
    }
  }
}

TEST(BitBlaster, MakesNothingOfConstants) {
  MadeUpExpressions random(3);
  const auto solver = make_acyclic_solver();
  BitBlaster blaster(*solver);
  for (const ExpressionOp op : operations_of_one_width()) {
    for (const unsigned bits : {1u, 7u, 8u, 16u, 32u, 64u}) {
      const std::uint64_t x = random.value(bits), y = random.value(bits), expected = apply(op, x, y, bits);
      const Bits result = blaster.apply(op, blaster.constant(x, bits), blaster.constant(y, bits));
      EXPECT_EQ(result, blaster.constant(expected, static_cast<unsigned>(result.size()))) << text_of(op) << " " << x << " " << y;
    }
  }
  EXPECT_EQ(blaster.gates().made(), 0u);
}

TEST(BitBlaster, MakesTheSameGateOnce) {
  const auto solver = make_acyclic_solver();
  BitBlaster blaster(*solver);
  const Bits a = blaster.fresh(32), b = blaster.fresh(32);
  const Bits sum = blaster.apply(TREADLE_OP_ADD, a, b);
  const std::uint64_t gates = blaster.gates().made();
  EXPECT_EQ(blaster.apply(TREADLE_OP_ADD, b, a), sum);
  EXPECT_EQ(blaster.gates().made(), gates);
}

TEST(BitBlaster, MultipliesByPowersOfTwoForNothing) {
  const auto solver = make_acyclic_solver();
  BitBlaster blaster(*solver);
  const Bits a = blaster.fresh(32);
  EXPECT_EQ(blaster.apply(TREADLE_OP_MUL, a, blaster.constant(8, 32)), blaster.apply(TREADLE_OP_SHL, a, blaster.constant(3, 32)));
  EXPECT_EQ(blaster.apply(TREADLE_OP_UDIV, a, blaster.constant(8, 32)), blaster.apply(TREADLE_OP_LSHR, a, blaster.constant(3, 32)));
  EXPECT_EQ(blaster.gates().made(), 0u);
}

TEST(BitBlaster, HasWhatIsRequiredToBeEqualEqualOnlyUnderItsCondition) {
  const auto solver = make_acyclic_solver();
  BitBlaster blaster(*solver);
  const Bits a = blaster.fresh(8), b = blaster.fresh(8);
  const Literal condition = solver->add_literal();
  blaster.require_equal(a, b, condition);
  const Truth equal = blaster.equal(a, b);
  EXPECT_EQ(solver->solve(std::vector{condition, ~equal.literal()}, long_enough), Answer::No);
  EXPECT_EQ(solver->solve(std::vector{condition}, long_enough), Answer::Yes);
  EXPECT_EQ(blaster.value(a), blaster.value(b));
  EXPECT_EQ(solver->solve(std::vector{~condition, ~equal.literal()}, long_enough), Answer::Yes);
  EXPECT_NE(blaster.value(a), blaster.value(b));
}

}  // namespace
}  // namespace treadle
