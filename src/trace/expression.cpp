// SPDX-License-Identifier: Apache-2.0
#include "trace/expression.h"

#include <array>

#include "base/check.h"

namespace treadle {
namespace {

std::uint64_t masked(std::uint64_t value, unsigned bits) { return bits >= 64 ? value : value & ((1ull << bits) - 1); }

std::int64_t as_signed(std::uint64_t value, unsigned bits) {
  const unsigned unused = 64 - bits;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

std::uint64_t shifted(ExpressionOp op, std::uint64_t a, std::uint64_t by, unsigned bits) {
  if (op == TREADLE_OP_ASHR) return static_cast<std::uint64_t>(as_signed(a, bits) >> (by >= bits ? bits - 1 : by));
  if (by >= bits) return 0;
  return op == TREADLE_OP_SHL ? a << by : a >> by;
}

// As SMT-LIB has it. The one quotient that does not fit, lowest / -1, wraps.
std::uint64_t divided(ExpressionOp op, std::uint64_t a, std::uint64_t b, unsigned bits) {
  const std::int64_t sa = as_signed(a, bits), sb = as_signed(b, bits);
  switch (op) {
    case TREADLE_OP_UDIV:
      return b == 0 ? ~0ull : a / b;
    case TREADLE_OP_UREM:
      return b == 0 ? a : a % b;
    case TREADLE_OP_SDIV:
      if (b == 0) return sa < 0 ? 1 : ~0ull;
      return sb == -1 ? 0 - a : static_cast<std::uint64_t>(sa / sb);
    default:
      if (b == 0) return a;
      return sb == -1 ? 0 : static_cast<std::uint64_t>(sa % sb);
  }
}

std::uint64_t compared(ExpressionOp op, std::uint64_t a, std::uint64_t b, unsigned bits) {
  const std::int64_t sa = as_signed(a, bits), sb = as_signed(b, bits);
  switch (op) {
    case TREADLE_OP_EQ:
      return a == b;
    case TREADLE_OP_NE:
      return a != b;
    case TREADLE_OP_ULT:
      return a < b;
    case TREADLE_OP_ULE:
      return a <= b;
    case TREADLE_OP_SLT:
      return sa < sb;
    default:
      return sa <= sb;
  }
}

bool is_comparison(ExpressionOp op) { return op >= TREADLE_OP_EQ && op <= TREADLE_OP_SLE; }

bool widths_fit(const Expression& e, std::span<const Expression> all) {
  auto bits = [&](ExpressionId id) -> unsigned { return all[id].bits; };
  const auto op = static_cast<ExpressionOp>(e.op);
  switch (op) {
    case TREADLE_OP_CONSTANT:
      return masked(value_in(e), e.bits) == value_in(e);
    case TREADLE_OP_READ:
    case TREADLE_OP_INPUT:
      return e.bits % 8 == 0 && masked(value_in(e), e.bits) == value_in(e);
    case TREADLE_OP_NOT:
    case TREADLE_OP_NEG:
      return bits(e.a) == e.bits;
    case TREADLE_OP_ZEXT:
    case TREADLE_OP_SEXT:
      return bits(e.a) < e.bits;
    case TREADLE_OP_EXTRACT:
      return e.part + unsigned{e.bits} <= bits(e.a);
    case TREADLE_OP_CONCAT:
      return bits(e.a) + bits(e.b) == e.bits;
    case TREADLE_OP_ITE:
      return bits(e.a) == 1 && bits(e.b) == e.bits && bits(e.c) == e.bits;
    default:
      return bits(e.a) == bits(e.b) && e.bits == (is_comparison(op) ? 1 : bits(e.a));
  }
}

}  // namespace

const char* text_of(ExpressionOp op) {
  static constexpr std::array texts{
#define X(name, text, operands) text,
      TREADLE_EXPRESSION_OPS(X)
#undef X
  };
  return texts.at(op);
}

unsigned operands_of(ExpressionOp op) {
  static constexpr std::array<unsigned, TREADLE_OP_COUNT> counts{
#define X(name, text, operands) operands,
      TREADLE_EXPRESSION_OPS(X)
#undef X
  };
  return counts.at(op);
}

std::uint64_t value_in(const Expression& expression) { return expression.b | std::uint64_t{expression.c} << 32; }

bool is_well_formed(std::span<const Expression> expressions, std::uint64_t events) {
  for (ExpressionId id = 1; id < expressions.size(); ++id) {
    const Expression& e = expressions[id];
    if (e.op == TREADLE_OP_NONE || e.op >= TREADLE_OP_COUNT || e.bits == 0 || e.bits > 64) return false;
    const auto op = static_cast<ExpressionOp>(e.op);
    if ((op == TREADLE_OP_READ || op == TREADLE_OP_INPUT) && e.a >= events) return false;
    const std::array operands{e.a, e.b, e.c};
    for (unsigned i = 0; i < operands_of(op); ++i)
      if (operands[i] == 0 || operands[i] >= id) return false;
    if (!widths_fit(e, expressions)) return false;
  }
  return true;
}

std::uint64_t apply(ExpressionOp op, std::uint64_t a, std::uint64_t b, unsigned bits) {
  auto plain = [&]() -> std::uint64_t {
    switch (op) {
      case TREADLE_OP_NOT:
        return ~a;
      case TREADLE_OP_NEG:
        return 0 - a;
      case TREADLE_OP_ADD:
        return a + b;
      case TREADLE_OP_SUB:
        return a - b;
      case TREADLE_OP_MUL:
        return a * b;
      case TREADLE_OP_UDIV:
      case TREADLE_OP_SDIV:
      case TREADLE_OP_UREM:
      case TREADLE_OP_SREM:
        return divided(op, a, b, bits);
      case TREADLE_OP_AND:
        return a & b;
      case TREADLE_OP_OR:
        return a | b;
      case TREADLE_OP_XOR:
        return a ^ b;
      case TREADLE_OP_SHL:
      case TREADLE_OP_LSHR:
      case TREADLE_OP_ASHR:
        return shifted(op, a, b, bits);
      default:
        check(is_comparison(op), "an operation on values of one width");
        return compared(op, a, b, bits);
    }
  };
  return masked(plain(), is_comparison(op) ? 1 : bits);
}

std::vector<std::uint64_t> evaluate(std::span<const Expression> expressions, const LeafValue& leaf) {
  std::vector<std::uint64_t> values(expressions.size(), 0);
  for (ExpressionId id = 1; id < expressions.size(); ++id) {
    const Expression& e = expressions[id];
    switch (static_cast<ExpressionOp>(e.op)) {
      case TREADLE_OP_CONSTANT:
        values[id] = value_in(e);
        break;
      case TREADLE_OP_READ:
      case TREADLE_OP_INPUT:
        values[id] = masked(leaf(e), e.bits);
        break;
      case TREADLE_OP_ZEXT:
        values[id] = values[e.a];
        break;
      case TREADLE_OP_SEXT:
        values[id] = masked(static_cast<std::uint64_t>(as_signed(values[e.a], expressions[e.a].bits)), e.bits);
        break;
      case TREADLE_OP_EXTRACT:
        values[id] = masked(values[e.a] >> e.part, e.bits);
        break;
      case TREADLE_OP_CONCAT:
        values[id] = values[e.a] << expressions[e.b].bits | values[e.b];
        break;
      case TREADLE_OP_ITE:
        values[id] = values[values[e.a] != 0 ? e.b : e.c];
        break;
      default:
        values[id] = apply(static_cast<ExpressionOp>(e.op), values[e.a], operands_of(static_cast<ExpressionOp>(e.op)) > 1 ? values[e.b] : 0,
                           expressions[e.a].bits);
    }
  }
  return values;
}

}  // namespace treadle
