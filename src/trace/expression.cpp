// SPDX-License-Identifier: Apache-2.0
#include "trace/expression.h"

#include <algorithm>
#include <array>

#include "abi/expression_value.h"
#include "base/check.h"

namespace treadle {
namespace {

bool widths_fit(const Expression& e, std::span<const Expression> all) {
  auto bits = [&](ExpressionId id) -> unsigned { return all[id].bits; };
  const auto op = static_cast<ExpressionOp>(e.op);
  switch (op) {
    case TREADLE_OP_CONSTANT:
      return treadle_masked(value_in(e), e.bits) == value_in(e);
    case TREADLE_OP_READ:
    case TREADLE_OP_INPUT:
      return e.bits % 8 == 0 && treadle_masked(value_in(e), e.bits) == value_in(e);
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
      return bits(e.a) == bits(e.b) && e.bits == (treadle_is_comparison(op) ? 1 : bits(e.a));
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

bool is_well_formed(std::span<const Note> notes, std::span<const Expression> expressions, std::uint64_t events, std::uint64_t threads) {
  return std::ranges::all_of(notes, [&](const Note& note) {
    if (note.thread >= threads || note.expression == 0 || note.expression >= expressions.size()) return false;
    const unsigned bits = expressions[note.expression].bits;
    switch (note.kind) {
      case TREADLE_NOTE_WRITE:
        return note.event < events && bits % 8 == 0;
      case TREADLE_NOTE_BRANCH:
      case TREADLE_NOTE_CHECK:
        return note.event <= events && bits == 1 && note.reason < TREADLE_GUARDS_COUNT;
      case TREADLE_NOTE_PIN:
        return note.event <= events && bits == 1 && note.reason < TREADLE_PIN_COUNT;
      case TREADLE_NOTE_ASSUME:
        return note.event <= events && bits == 1;
      default:
        return false;
    }
  });
}

std::uint64_t apply(ExpressionOp op, std::uint64_t a, std::uint64_t b, unsigned bits) {
  check(op >= TREADLE_OP_NOT && op <= TREADLE_OP_SLE && op != TREADLE_OP_ZEXT && op != TREADLE_OP_SEXT && op != TREADLE_OP_EXTRACT &&
            op != TREADLE_OP_CONCAT,
        "an operation on values of one width");
  return treadle_applied(op, a, b, bits);
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
        values[id] = treadle_masked(leaf(e), e.bits);
        break;
      case TREADLE_OP_ZEXT:
        values[id] = values[e.a];
        break;
      case TREADLE_OP_SEXT:
        values[id] = treadle_masked(static_cast<std::uint64_t>(treadle_signed(values[e.a], expressions[e.a].bits)), e.bits);
        break;
      case TREADLE_OP_EXTRACT:
        values[id] = treadle_masked(values[e.a] >> e.part, e.bits);
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
