// SPDX-License-Identifier: Apache-2.0
#include "solve/expression_bits.h"

#include <gtest/gtest.h>
#include <z3++.h>

#include <map>
#include <memory>

#include "solve/made_up_expressions.h"

namespace treadle {
namespace {

constexpr SolveLimit long_enough{60};
constexpr unsigned widths[] = {1, 7, 8, 16, 32, 64};

std::map<std::uint32_t, Bits> free_reads(BitBlaster& blaster, std::span<const Expression> expressions) {
  std::map<std::uint32_t, Bits> reads;
  for (const Expression& e : expressions)
    if (e.op == TREADLE_OP_READ) reads.emplace(e.a, blaster.fresh(e.bits));
  return reads;
}

ExpressionBits::LeafBits from(const std::map<std::uint32_t, Bits>& reads) {
  return [&reads](const Expression& leaf) { return reads.at(leaf.a); };
}

/// `reads` reads of 8 to `most` bits, then operations of all kinds on them and on each other.
void make_up(MadeUpExpressions& random, unsigned reads, unsigned operations, unsigned widest) {
  for (unsigned i = 0; i < reads; ++i) {
    unsigned bits = 8u << random.below(4);
    while (bits > widest) bits /= 2;
    random.read(i, random.value(bits), bits);
  }
  for (unsigned i = 0; i < operations; ++i) {
    unsigned bits = widths[random.below(std::size(widths))];
    while (bits > widest) bits = widths[random.below(std::size(widths))];
    const std::uint64_t kind = random.below(12);
    if (kind == 0) {
      random.choice(bits);
    } else if (kind <= 3) {
      random.fitted(static_cast<ExpressionId>(1 + random.below(random.last())), bits);
    } else {
      auto op = TREADLE_OP_CONCAT;
      while (op == TREADLE_OP_CONCAT)
        op = static_cast<ExpressionOp>(TREADLE_OP_NOT + static_cast<int>(random.below(TREADLE_OP_SLE - TREADLE_OP_NOT + 1)));
      if (op == TREADLE_OP_ZEXT || op == TREADLE_OP_SEXT || op == TREADLE_OP_EXTRACT) op = TREADLE_OP_ADD;
      random.operation(op, bits);
    }
  }
}

TEST(ExpressionBits, HaveTheValueThatEvaluateComputesAndNoOther) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    MadeUpExpressions random(seed);
    make_up(random, 3, 14, 64);
    ASSERT_TRUE(is_well_formed(random.all(), 3)) << "seed " << seed;
    const auto solver = make_acyclic_solver();
    BitBlaster blaster(*solver);
    const auto reads = free_reads(blaster, random.all());
    ExpressionBits bits(blaster, random.all(), from(reads));
    const ExpressionId last = random.last();
    const Bits result = bits[last];
    for (ExpressionId id = 1; id <= 3; ++id)
      blaster.require_equal(bits[id], blaster.constant(value_in(random.all()[id]), random.all()[id].bits));
    const std::vector<std::uint64_t> expected = evaluate(random.all());
    ASSERT_EQ(solver->solve({}, long_enough), Answer::Yes) << "seed " << seed;
    EXPECT_EQ(blaster.value(result), expected[last]) << "seed " << seed;
    const Truth other = ~blaster.equal(result, blaster.constant(expected[last], static_cast<unsigned>(result.size())));
    blaster.gates().clause({other});
    EXPECT_EQ(solver->solve({}, long_enough), Answer::No) << "seed " << seed;
  }
}

TEST(ExpressionBits, OfAVeryLongSumAreMade) {
  MadeUpExpressions sum(0);
  ExpressionId last = sum.read(0, 0, 8);
  for (unsigned i = 0; i < 200'000; ++i) last = sum.add(TREADLE_OP_XOR, 8, last, i % 2 == 0 ? 1 : last);
  const auto solver = make_acyclic_solver();
  BitBlaster blaster(*solver);
  const auto reads = free_reads(blaster, sum.all());
  ExpressionBits bits(blaster, sum.all(), from(reads));
  EXPECT_EQ(bits[last].size(), 8u);
}

TEST(ExpressionBits, OfWhatIsNotAskedForAreNotMade) {
  MadeUpExpressions some(0);
  const ExpressionId read = some.read(0, 0, 32);
  const ExpressionId wanted = some.add(TREADLE_OP_NOT, 32, read);
  some.add(TREADLE_OP_MUL, 32, read, wanted);
  const auto solver = make_acyclic_solver();
  BitBlaster blaster(*solver);
  const auto reads = free_reads(blaster, some.all());
  ExpressionBits bits(blaster, some.all(), from(reads));
  EXPECT_EQ(bits[wanted].size(), 32u);
  EXPECT_EQ(blaster.gates().made(), 0u);
}

z3::expr in_z3(z3::context& context, std::span<const Expression> all, ExpressionId id, const z3::expr_vector& made) {
  const Expression& e = all[id];
  const auto bits = static_cast<unsigned>(e.bits);
  auto at = [&](ExpressionId operand) { return made[operand - 1]; };
  auto bit = [&](const z3::expr& condition) { return z3::ite(condition, context.bv_val(1, 1), context.bv_val(0, 1)); };
  switch (static_cast<ExpressionOp>(e.op)) {
    case TREADLE_OP_CONSTANT:
      return context.bv_val(value_in(e), bits);
    case TREADLE_OP_READ:
      return context.bv_const(("r" + std::to_string(e.a)).c_str(), bits);
    case TREADLE_OP_NOT:
      return ~at(e.a);
    case TREADLE_OP_NEG:
      return -at(e.a);
    case TREADLE_OP_ZEXT:
      return z3::zext(at(e.a), bits - all[e.a].bits);
    case TREADLE_OP_SEXT:
      return z3::sext(at(e.a), bits - all[e.a].bits);
    case TREADLE_OP_EXTRACT:
      return at(e.a).extract(e.part + bits - 1, e.part);
    case TREADLE_OP_ADD:
      return at(e.a) + at(e.b);
    case TREADLE_OP_SUB:
      return at(e.a) - at(e.b);
    case TREADLE_OP_MUL:
      return at(e.a) * at(e.b);
    case TREADLE_OP_UDIV:
      return z3::udiv(at(e.a), at(e.b));
    case TREADLE_OP_SDIV:
      return at(e.a) / at(e.b);
    case TREADLE_OP_UREM:
      return z3::urem(at(e.a), at(e.b));
    case TREADLE_OP_SREM:
      return z3::srem(at(e.a), at(e.b));
    case TREADLE_OP_AND:
      return at(e.a) & at(e.b);
    case TREADLE_OP_OR:
      return at(e.a) | at(e.b);
    case TREADLE_OP_XOR:
      return at(e.a) ^ at(e.b);
    case TREADLE_OP_SHL:
      return z3::shl(at(e.a), at(e.b));
    case TREADLE_OP_LSHR:
      return z3::lshr(at(e.a), at(e.b));
    case TREADLE_OP_ASHR:
      return z3::ashr(at(e.a), at(e.b));
    case TREADLE_OP_CONCAT:
      return z3::concat(at(e.a), at(e.b));
    case TREADLE_OP_EQ:
      return bit(at(e.a) == at(e.b));
    case TREADLE_OP_NE:
      return bit(at(e.a) != at(e.b));
    case TREADLE_OP_ULT:
      return bit(z3::ult(at(e.a), at(e.b)));
    case TREADLE_OP_ULE:
      return bit(z3::ule(at(e.a), at(e.b)));
    case TREADLE_OP_SLT:
      return bit(z3::slt(at(e.a), at(e.b)));
    case TREADLE_OP_SLE:
      return bit(z3::sle(at(e.a), at(e.b)));
    case TREADLE_OP_ITE:
      return z3::ite(at(e.a) == context.bv_val(1, 1), at(e.b), at(e.c));
    default:
      ADD_FAILURE() << "an operation that Z3 was not told of: " << text_of(static_cast<ExpressionOp>(e.op));
      return context.bv_val(0, bits);
  }
}

// "The last two differ" and "the last is this number": each side answers with the operands free.
TEST(ExpressionBits, OfFreeOperandsCanBeWhatZ3SaysTheyCanBe) {
  unsigned yes = 0, no = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    MadeUpExpressions random(1000 + seed);
    make_up(random, 2, 8, 8);
    const ExpressionId last = random.last();
    const unsigned width = random.all()[last].bits;
    const std::uint64_t wanted = random.value(width);

    const auto solver = make_acyclic_solver();
    BitBlaster blaster(*solver);
    const auto reads = free_reads(blaster, random.all());
    ExpressionBits bits(blaster, random.all(), from(reads));
    blaster.gates().clause({blaster.equal(bits[last], blaster.constant(wanted, width))});
    const Answer answer = solver->solve({}, long_enough);

    z3::context context;
    z3::expr_vector made(context);
    for (ExpressionId id = 1; id <= last; ++id) made.push_back(in_z3(context, random.all(), id, made));
    z3::solver reference(context);
    reference.add(made[last - 1] == context.bv_val(wanted, width));
    ASSERT_EQ(answer == Answer::Yes, reference.check() == z3::sat) << "seed " << seed;
    (answer == Answer::Yes ? yes : no) += 1;
    if (answer != Answer::Yes) continue;
    const auto values = evaluate(random.all(), [&](const Expression& leaf) { return blaster.value(reads.at(leaf.a)); });
    EXPECT_EQ(values[last], wanted) << "seed " << seed;
  }
  EXPECT_GT(yes, 20u);
  EXPECT_GT(no, 20u);
}

}  // namespace
}  // namespace treadle
