// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "abi/expression_value.h"
#include "table_memory.h"
#include "trace/expression.h"

namespace treadle {
namespace {

using Leaves = std::vector<std::uint64_t>;

/// An expression as the program computes it, next to the one in the table.
struct Computed {
  Expr expression;
  unsigned bits;
  std::function<std::uint64_t(const Leaves&)> value;
};

constexpr TreadleExpressionOp kBinary[] = {TREADLE_OP_ADD,  TREADLE_OP_SUB,  TREADLE_OP_MUL,  TREADLE_OP_UDIV, TREADLE_OP_SDIV,
                                           TREADLE_OP_UREM, TREADLE_OP_SREM, TREADLE_OP_AND,  TREADLE_OP_OR,   TREADLE_OP_XOR,
                                           TREADLE_OP_SHL,  TREADLE_OP_LSHR, TREADLE_OP_ASHR, TREADLE_OP_EQ,   TREADLE_OP_NE,
                                           TREADLE_OP_ULT,  TREADLE_OP_ULE,  TREADLE_OP_SLT,  TREADLE_OP_SLE};

class Author {
 public:
  explicit Author(unsigned seed) : random_(seed) {
    for (unsigned i = 0; i < kLeaves; ++i) {
      const unsigned bits = i == 0 ? 8 : i == 1 ? 16 : i == 2 ? 32 : 64;
      seen_.push_back(treadle_masked(interesting(), bits));
      add({own_.table.leaf(TREADLE_OP_READ, i, 0, bits, seen_[i]), bits, [i](const Leaves& leaves) { return leaves[i]; }});
    }
  }

  void write(unsigned operations) {
    while (operations-- > 0) add(next());
  }

  /// Under the values seen, and under others.
  void compare() {
    for (int round = 0; round < 20; ++round) {
      Leaves leaves = seen_;
      if (round > 0)
        for (unsigned i = 0; i < kLeaves; ++i) leaves[i] = treadle_masked(interesting(), all_[i].bits);
      const auto values = evaluate(own_.expressions(), [&](const Expression& leaf) { return leaves[leaf.a]; });
      for (const Computed& computed : all_) {
        ASSERT_EQ(own_.table.bits(computed.expression), computed.bits);
        ASSERT_EQ(values[computed.expression], computed.value(leaves));
        if (round == 0) ASSERT_EQ(own_.table.value(computed.expression), computed.value(leaves));
      }
    }
    EXPECT_TRUE(is_well_formed(own_.expressions(), kLeaves));
  }

 private:
  static constexpr unsigned kLeaves = 4;

  std::uint64_t interesting() {
    switch (random_() % 4) {
      case 0:
        return random_() % 4;
      case 1:
        return 0 - std::uint64_t{random_() % 3};
      case 2:
        return 1ull << random_() % 64;
      default:
        return random_();
    }
  }

  unsigned some_width() {
    constexpr unsigned widths[] = {1, 7, 8, 16, 24, 32, 33, 64};
    return widths[random_() % std::size(widths)];
  }

  Computed constant(unsigned bits) {
    const std::uint64_t value = treadle_masked(interesting(), bits);
    return {own_.table.constant(value, bits), bits, [value](const Leaves&) { return value; }};
  }

  Computed any() { return all_[random_() % all_.size()]; }

  Computed cast(const Computed& a, unsigned bits) {
    if (bits == a.bits) return a;
    auto& table = own_.table;
    if (bits < a.bits) {
      const unsigned part = random_() % 2 == 0 ? 0 : random_() % (a.bits - bits + 1);
      return {table.extract(a.expression, part, bits), bits,
              [=](const Leaves& leaves) { return treadle_masked(a.value(leaves) >> part, bits); }};
    }
    if (random_() % 2 == 0) return {table.extend(TREADLE_OP_ZEXT, a.expression, bits), bits, a.value};
    return {table.extend(TREADLE_OP_SEXT, a.expression, bits), bits, [=](const Leaves& leaves) {
              return treadle_masked(static_cast<std::uint64_t>(treadle_signed(a.value(leaves), a.bits)), bits);
            }};
  }

  Computed of_width(unsigned bits) { return random_() % 3 == 0 ? constant(bits) : cast(any(), bits); }

  Computed next() {
    auto& table = own_.table;
    const Computed a = any();
    switch (random_() % 6) {
      case 0:
        return cast(a, some_width());
      case 1: {
        const auto op = random_() % 2 == 0 ? TREADLE_OP_NOT : TREADLE_OP_NEG;
        return {table.unary(op, a.expression), a.bits,
                [=](const Leaves& leaves) { return treadle_applied(op, a.value(leaves), 0, a.bits); }};
      }
      case 2: {
        const Computed condition = of_width(1), b = of_width(a.bits);
        return {table.select(condition.expression, a.expression, b.expression), a.bits,
                [=](const Leaves& leaves) { return condition.value(leaves) != 0 ? a.value(leaves) : b.value(leaves); }};
      }
      case 3: {
        const Computed low = of_width(8), high = random_() % 2 == 0 ? of_width(8) : of_width(16);
        return {table.concat(high.expression, low.expression), high.bits + 8,
                [=](const Leaves& leaves) { return high.value(leaves) << 8 | low.value(leaves); }};
      }
      default: {
        const auto op = kBinary[random_() % std::size(kBinary)];
        const Computed b = of_width(a.bits);
        const bool swapped = random_() % 4 == 0;
        const Computed left = swapped ? b : a, right = swapped ? a : b;
        return {table.binary(op, left.expression, right.expression), treadle_is_comparison(op) ? 1 : a.bits,
                [=](const Leaves& leaves) { return treadle_applied(op, left.value(leaves), right.value(leaves), left.bits); }};
      }
    }
  }

  void add(Computed computed) {
    ASSERT_NE(computed.expression, 0u);
    all_.push_back(std::move(computed));
  }

  std::mt19937_64 random_;
  OwnTable own_{1 << 12};
  Leaves seen_;
  std::vector<Computed> all_;
};

TEST(Expressions, ThatAreFoldedHaveTheValueOfThoseThatAreNotWhateverIsRead) {
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(seed);
    Author author(seed);
    author.write(12);
    author.compare();
    if (testing::Test::HasFailure()) return;
  }
}

class Folding : public testing::Test {
 protected:
  OwnTable own;
  ExpressionTable& t = own.table;
  const Expr x = t.leaf(TREADLE_OP_READ, 0, 0, 32, 5), y = t.leaf(TREADLE_OP_READ, 1, 0, 32, 7);
  Expr k(std::uint64_t value, unsigned bits = 32) { return t.constant(value, bits); }
};

TEST_F(Folding, EqualExpressionsHaveEqualNumbers) {
  EXPECT_EQ(t.binary(TREADLE_OP_ADD, x, y), t.binary(TREADLE_OP_ADD, x, y));
  EXPECT_NE(t.binary(TREADLE_OP_SUB, x, y), t.binary(TREADLE_OP_SUB, y, x));
}

TEST_F(Folding, ABoolThatBecomesAnIntAndIsComparedIsTheBool) {
  const Expr less = t.binary(TREADLE_OP_SLT, x, y);
  const Expr number = t.extend(TREADLE_OP_ZEXT, t.extend(TREADLE_OP_ZEXT, less, 8), 32);
  EXPECT_EQ(t.binary(TREADLE_OP_NE, number, k(0)), less);
  EXPECT_EQ(t.binary(TREADLE_OP_EQ, number, k(0)), t.binary(TREADLE_OP_SLE, y, x));
  EXPECT_EQ(t.binary(TREADLE_OP_EQ, number, k(1)), less);
  EXPECT_TRUE(t.is_constant(t.binary(TREADLE_OP_EQ, number, k(2)), 0));
}

TEST_F(Folding, SumsWithConstantsAreOneSum) {
  const Expr twice = t.binary(TREADLE_OP_ADD, t.binary(TREADLE_OP_ADD, x, k(1)), k(1));
  EXPECT_EQ(twice, t.binary(TREADLE_OP_ADD, x, k(2)));
  EXPECT_EQ(t.binary(TREADLE_OP_SUB, twice, k(2)), x);
  EXPECT_EQ(t.equal(twice, 9), t.equal(x, 7));
}

TEST_F(Folding, BytesPutTogetherAgainAreTheWhole) {
  Expr whole = t.extract(x, 0, 8);
  for (unsigned i = 1; i < 4; ++i) whole = t.concat(t.extract(x, i * 8, 8), whole);
  EXPECT_EQ(whole, x);
  for (unsigned i = 0; i < 4; ++i) whole = t.concat(t.extract(y, i * 8, 8), whole);
  EXPECT_EQ(t[whole].op, TREADLE_OP_CONCAT);
  EXPECT_EQ(t[whole].a, y);
  EXPECT_EQ(t.extract(whole, 32, 32), y);
}

TEST_F(Folding, CharsComputedAsIntsAreComputedAsChars) {
  const Expr c = t.leaf(TREADLE_OP_READ, 2, 0, 8, 200);
  const Expr sum = t.binary(TREADLE_OP_ADD, t.extend(TREADLE_OP_SEXT, c, 32), k(1));
  EXPECT_EQ(t.extract(sum, 0, 8), t.binary(TREADLE_OP_ADD, c, k(1, 8)));
}

TEST_F(Folding, AFullTableGivesNothingAndSaysSo) {
  OwnTable small(8);
  const Expr leaf = small.table.leaf(TREADLE_OP_READ, 0, 0, 32, 1);
  Expr e = leaf;
  for (unsigned i = 2; e != 0 && i < 20; ++i) e = small.table.binary(TREADLE_OP_MUL, leaf, small.table.constant(i, 32));
  EXPECT_EQ(e, 0u);
  EXPECT_TRUE(small.table.is_full());
  EXPECT_EQ(small.table.size(), 8u);
  EXPECT_EQ(small.table.leaf(TREADLE_OP_READ, 0, 0, 32, 1), leaf);
}

TEST_F(Folding, TheNextExecutionFindsNothingOfTheLast) {
  t.begin({own.nodes.data(), own.values.data(), own.index.data(), &own.age, 1 << 16});
  EXPECT_EQ(t.size(), 1u);
  EXPECT_EQ(t.leaf(TREADLE_OP_READ, 1, 0, 32, 7), 1u);
}

TEST_F(Folding, ManyExpressionsAreAllFoundAgain) {
  std::vector<Expr> made;
  for (std::uint64_t i = 2; i < 20000; ++i) made.push_back(t.binary(TREADLE_OP_MUL, x, k(i)));
  for (std::uint64_t i = 2; i < 20000; ++i) ASSERT_EQ(t.binary(TREADLE_OP_MUL, x, k(i)), made[i - 2]);
}

}  // namespace
}  // namespace treadle
