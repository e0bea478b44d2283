// SPDX-License-Identifier: Apache-2.0
// What of an operation with two operands can be computed now, or said with fewer nodes. Not a solver: these are the shapes that C and its
// compiler make all the time (a bool that becomes an int that is compared with 0, sums with constants, masks).
#include "abi/expression_value.h"
#include "runtime/symbolic_table.h"

namespace treadle {

namespace {

bool is_commutative(TreadleExpressionOp op) noexcept {
  switch (op) {
    case TREADLE_OP_ADD:
    case TREADLE_OP_MUL:
    case TREADLE_OP_AND:
    case TREADLE_OP_OR:
    case TREADLE_OP_XOR:
    case TREADLE_OP_EQ:
    case TREADLE_OP_NE:
      return true;
    default:
      return false;
  }
}

std::uint64_t all_ones(unsigned bits) noexcept { return treadle_masked(~0ull, bits); }

bool is_extension(const TreadleExpression& node) noexcept { return node.op == TREADLE_OP_ZEXT || node.op == TREADLE_OP_SEXT; }

}  // namespace

Expr ExpressionTable::binary(TreadleExpressionOp op, Expr a, Expr b) noexcept {
  if (a == 0 || b == 0) return 0;
  const bool a_known = is(a, TREADLE_OP_CONSTANT), b_known = is(b, TREADLE_OP_CONSTANT);
  if (a_known && !b_known && is_commutative(op)) return binary(op, b, a);
  const unsigned width = bits(a);
  const bool compares = treadle_is_comparison(op) != 0;
  const std::uint64_t result = treadle_applied(op, value(a), value(b), width);
  if (a_known && b_known) return constant(result, compares ? 1 : width);
  Expr folded = 0;
  if (compares)
    folded = comparison(op, a, b);
  else if (op == TREADLE_OP_AND || op == TREADLE_OP_OR || op == TREADLE_OP_XOR)
    folded = bitwise(op, a, b);
  else if (op == TREADLE_OP_SHL || op == TREADLE_OP_LSHR || op == TREADLE_OP_ASHR)
    folded = shift(op, a, b);
  else
    folded = arithmetic(op, a, b);
  if (folded != 0 || is_full_) return folded;
  return make(op, compares ? 1 : width, result, a, b);
}

Expr ExpressionTable::arithmetic(TreadleExpressionOp op, Expr a, Expr b) noexcept {
  const TreadleExpression left = memory_.nodes[a];
  const unsigned width = left.bits;
  if (op == TREADLE_OP_SUB && a == b) return constant(0, width);
  if (!is(b, TREADLE_OP_CONSTANT)) {
    if (op == TREADLE_OP_SUB && is_constant(a, 0)) return unary(TREADLE_OP_NEG, b);
    return 0;
  }
  const std::uint64_t known = value(b);
  switch (op) {
    case TREADLE_OP_ADD:
      if (known == 0) return a;
      if (left.op == TREADLE_OP_ADD && is(left.b, TREADLE_OP_CONSTANT)) return binary(op, left.a, constant(value(left.b) + known, width));
      return 0;
    case TREADLE_OP_SUB:
      return binary(TREADLE_OP_ADD, a, constant(0 - known, width));
    case TREADLE_OP_MUL:
      if (known == 0) return b;
      if (known == 1) return a;
      if (left.op == TREADLE_OP_MUL && is(left.b, TREADLE_OP_CONSTANT)) return binary(op, left.a, constant(value(left.b) * known, width));
      return 0;
    case TREADLE_OP_UDIV:
      return known == 1 ? a : 0;
    case TREADLE_OP_SDIV:
      return known == 1 && width > 1 ? a : 0;
    case TREADLE_OP_UREM:
      return known == 1 ? constant(0, width) : 0;
    case TREADLE_OP_SREM:
      return known == 1 && width > 1 ? constant(0, width) : 0;
    default:
      return 0;
  }
}

Expr ExpressionTable::bitwise(TreadleExpressionOp op, Expr a, Expr b) noexcept {
  const TreadleExpression left = memory_.nodes[a];
  const unsigned width = left.bits;
  if (a == b) return op == TREADLE_OP_XOR ? constant(0, width) : a;
  if (!is(b, TREADLE_OP_CONSTANT)) return 0;
  const std::uint64_t known = value(b), ones = all_ones(width);
  if (known == 0) return op == TREADLE_OP_AND ? b : a;
  if (known == ones) return op == TREADLE_OP_AND ? a : op == TREADLE_OP_OR ? b : unary(TREADLE_OP_NOT, a);
  if (left.op == op && is(left.b, TREADLE_OP_CONSTANT))
    return binary(op, left.a, constant(treadle_applied(op, value(left.b), known, width), width));
  if (left.op == TREADLE_OP_ZEXT) {
    const unsigned inner = bits(left.a);
    if (op == TREADLE_OP_AND) return extend(TREADLE_OP_ZEXT, binary(op, left.a, constant(known, inner)), width);
    if (known <= all_ones(inner)) return extend(TREADLE_OP_ZEXT, binary(op, left.a, constant(known, inner)), width);
  }
  return 0;
}

Expr ExpressionTable::shift(TreadleExpressionOp op, Expr a, Expr b) noexcept {
  const unsigned width = bits(a);
  if (is_constant(a, 0)) return a;
  if (!is(b, TREADLE_OP_CONSTANT)) return 0;
  const std::uint64_t by = value(b);
  if (by == 0) return a;
  if (by >= width) return op == TREADLE_OP_ASHR ? 0 : constant(0, width);
  return 0;
}

Expr ExpressionTable::comparison(TreadleExpressionOp op, Expr a, Expr b) noexcept {
  if (a == b) return either(op == TREADLE_OP_EQ || op == TREADLE_OP_ULE || op == TREADLE_OP_SLE);
  const TreadleExpression left = memory_.nodes[a], right = memory_.nodes[b];
  const unsigned width = left.bits;
  const bool signs = op == TREADLE_OP_SLT || op == TREADLE_OP_SLE;
  if (is_extension(left) && left.op == right.op && bits(left.a) == bits(right.a) && (!signs || left.op == TREADLE_OP_SEXT) &&
      (signs || op == TREADLE_OP_EQ || op == TREADLE_OP_NE || left.op == TREADLE_OP_ZEXT))
    return binary(op, left.a, right.a);
  if (op == TREADLE_OP_EQ || op == TREADLE_OP_NE) {
    if (right.op == TREADLE_OP_CONSTANT) return equality(op, a, value(b));
    return 0;
  }
  if (signs) return 0;
  if (right.op == TREADLE_OP_CONSTANT) {
    const std::uint64_t known = value(b);
    if (op == TREADLE_OP_ULT && known == 0) return either(false);
    if (op == TREADLE_OP_ULE && known == all_ones(width)) return either(true);
    if ((op == TREADLE_OP_ULT && known == 1) || (op == TREADLE_OP_ULE && known == 0)) return equality(TREADLE_OP_EQ, a, 0);
  }
  if (is_constant(a, 0)) return op == TREADLE_OP_ULE ? either(true) : binary(TREADLE_OP_NE, b, a);
  return 0;
}

/// a == value, a != value
Expr ExpressionTable::equality(TreadleExpressionOp op, Expr a, std::uint64_t known) noexcept {
  const TreadleExpression left = memory_.nodes[a];
  const unsigned width = left.bits;
  const bool same = op == TREADLE_OP_EQ;
  auto other = [&](Expr e, std::uint64_t value) { return binary(op, e, constant(value, bits(e))); };
  if (width == 1) return (known == 1) == same ? a : negation(a);
  switch (left.op) {
    case TREADLE_OP_ZEXT:
    case TREADLE_OP_SEXT: {
      const unsigned inner = bits(left.a);
      const std::uint64_t low = treadle_masked(known, inner);
      const std::uint64_t back =
          left.op == TREADLE_OP_ZEXT ? low : treadle_masked(static_cast<std::uint64_t>(treadle_signed(low, inner)), width);
      return back == known ? other(left.a, low) : either(!same);
    }
    case TREADLE_OP_NOT:
      return other(left.a, ~known);
    case TREADLE_OP_NEG:
      return other(left.a, 0 - known);
    case TREADLE_OP_ADD:
      return is(left.b, TREADLE_OP_CONSTANT) ? other(left.a, known - value(left.b)) : 0;
    case TREADLE_OP_XOR:
      if (is(left.b, TREADLE_OP_CONSTANT)) return other(left.a, known ^ value(left.b));
      return known == 0 ? binary(op, left.a, left.b) : 0;
    case TREADLE_OP_SUB:
      return known == 0 ? binary(op, left.a, left.b) : 0;
    case TREADLE_OP_ITE: {
      if (!is(left.b, TREADLE_OP_CONSTANT) || !is(left.c, TREADLE_OP_CONSTANT)) return 0;
      const bool first = (value(left.b) == known) == same, second = (value(left.c) == known) == same;
      if (first == second) return either(first);
      return first ? left.a : negation(left.a);
    }
    default:
      return 0;
  }
}

}  // namespace treadle
