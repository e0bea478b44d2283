// SPDX-License-Identifier: Apache-2.0
#include "trace/expression.h"

#include <gtest/gtest.h>

#include "trace/expression_text.h"
#include "trace/made_up_symbolic.h"

namespace treadle {
namespace {

TEST(Expressions, DivideAsCDoesAndAsSmtLibWhereCDoesNot) {
  auto low = [](std::int64_t value) { return static_cast<std::uint64_t>(value) & 0xff; };
  EXPECT_EQ(apply(TREADLE_OP_SDIV, low(-7), 2, 8), low(-3));
  EXPECT_EQ(apply(TREADLE_OP_SREM, low(-7), 2, 8), low(-1));
  EXPECT_EQ(apply(TREADLE_OP_SDIV, low(-128), low(-1), 8), low(-128));
  EXPECT_EQ(apply(TREADLE_OP_UDIV, 7, 0, 8), 0xffu);
  EXPECT_EQ(apply(TREADLE_OP_SREM, low(-7), 0, 8), low(-7));
  EXPECT_EQ(apply(TREADLE_OP_ASHR, low(-2), 200, 8), 0xffu);
  EXPECT_EQ(apply(TREADLE_OP_SHL, 1, 8, 8), 0u);
}

TEST(Expressions, WhoseOperandsComeLaterAreNotWellFormed) {
  std::vector<Expression> all{{}, {TREADLE_OP_NOT, 8, 0, 2, 0, 0}, {TREADLE_OP_CONSTANT, 8, 0, 0, 1, 0}};
  EXPECT_FALSE(is_well_formed(all, 0));
  std::swap(all[1], all[2]);
  all[2].a = 1;
  EXPECT_TRUE(is_well_formed(all, 0));
  all[2].bits = 16;
  EXPECT_FALSE(is_well_formed(all, 0));
}

TEST(Expressions, ReadAsInC) {
  MadeUpSymbolicTrace made;
  const ExpressionId a = made.read(0, 0x100, 5), b = made.read(0, 0x104, 6);
  const ExpressionId sum = made.e.make(TREADLE_OP_ADD, 32, a, b), product = made.e.make(TREADLE_OP_MUL, 32, sum, made.plus(a, 0xffffffff));
  const ExpressionId less = made.is_less(product, made.number(0xfffffffe));
  const ExpressionId both = made.e.make(TREADLE_OP_AND, 1, less, made.e.make(TREADLE_OP_NOT, 1, made.is(b, 3)));
  const ExpressionId byte = made.e.make(TREADLE_OP_EXTRACT, 8, sum, 0, 8);
  ExpressionText text(made.trace, [](const Expression& leaf) { return leaf.a == 0 ? "a" : "b"; });
  EXPECT_EQ(text.of(both), "(a + b) * (a - 1) < -2 && !(b == 3)");
  EXPECT_EQ(text.of(byte), "(a + b)[15:8]");
}

TEST(Expressions, TooDeepToReadAreTakenApart) {
  MadeUpSymbolicTrace made;
  ExpressionId e = made.read(0, 0x100, 1);
  for (int i = 0; i < 40; ++i) e = made.e.make(TREADLE_OP_MUL, 32, e, e);  // 2^40 factors
  ExpressionText text(made.trace, [](const Expression&) { return "a"; });
  EXPECT_LT(text.of(e).size(), 100'000u);
  EXPECT_NE(text.deeper_ones().find("a * a"), std::string::npos);
}

}  // namespace
}  // namespace treadle
