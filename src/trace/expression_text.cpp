// SPDX-License-Identifier: Apache-2.0
#include "trace/expression_text.h"

#include <sstream>

#include "abi/expression_value.h"

namespace treadle {
namespace {

constexpr unsigned kDeepest = 12;
constexpr int kWhole = 100, kUnary = 90;

int binds(unsigned op) {
  switch (op) {
    case TREADLE_OP_MUL:
    case TREADLE_OP_UDIV:
    case TREADLE_OP_SDIV:
    case TREADLE_OP_UREM:
    case TREADLE_OP_SREM:
      return 80;
    case TREADLE_OP_ADD:
    case TREADLE_OP_SUB:
      return 70;
    case TREADLE_OP_SHL:
    case TREADLE_OP_LSHR:
    case TREADLE_OP_ASHR:
      return 60;
    case TREADLE_OP_ULT:
    case TREADLE_OP_ULE:
    case TREADLE_OP_SLT:
    case TREADLE_OP_SLE:
      return 50;
    case TREADLE_OP_EQ:
    case TREADLE_OP_NE:
      return 40;
    case TREADLE_OP_AND:
      return 30;
    case TREADLE_OP_XOR:
      return 25;
    case TREADLE_OP_OR:
      return 20;
    case TREADLE_OP_CONCAT:
      return 15;
    default:
      return 10;
  }
}

}  // namespace

std::string value_text(std::uint64_t value, unsigned bits) {
  const std::int64_t as_signed = treadle_signed(value, bits);
  if (value <= 0xffffffff && (as_signed >= 0 || bits == 1)) return std::to_string(value);
  if (as_signed < 0 && as_signed > -(1ll << 31)) return std::to_string(as_signed);
  std::ostringstream out;
  out << std::hex << std::showbase << value;
  return out.str();
}

std::string ExpressionText::of(ExpressionId id) { return part(id, 0).text; }

std::string ExpressionText::deeper_ones() {
  std::string lines;
  std::set<ExpressionId> done;
  while (!deeper_.empty()) {
    const ExpressionId id = *deeper_.begin();
    deeper_.erase(deeper_.begin());
    if (!done.insert(id).second) continue;
    lines += "  e" + std::to_string(id) + " = " + of(id) + "\n";
    std::erase_if(deeper_, [&](ExpressionId known) { return done.contains(known); });
  }
  return lines;
}

std::string ExpressionText::operand(ExpressionId id, unsigned depth, int outer) {
  Part inner = part(id, depth);
  return inner.binds > outer ? inner.text : "(" + inner.text + ")";
}

ExpressionText::Part ExpressionText::binary(const Expression& e, unsigned depth) {
  const int mine = binds(e.op);
  const Expression& right = trace_.expressions[e.b];
  const std::string left = operand(e.a, depth, mine - 1);
  if (e.op == TREADLE_OP_ADD && right.op == TREADLE_OP_CONSTANT && treadle_signed(value_in(right), right.bits) < 0)
    return {left + " - " + value_text(treadle_masked(0 - value_in(right), right.bits), right.bits), mine};
  const char* text = e.bits == 1 && e.op == TREADLE_OP_AND  ? "&&"
                     : e.bits == 1 && e.op == TREADLE_OP_OR ? "||"
                                                            : text_of(static_cast<ExpressionOp>(e.op));
  return {left + " " + text + " " + operand(e.b, depth, mine), mine};
}

ExpressionText::Part ExpressionText::part(ExpressionId id, unsigned depth) {
  const Expression& e = trace_.expressions[id];
  const auto op = static_cast<ExpressionOp>(e.op);
  if (op == TREADLE_OP_CONSTANT) return {value_text(value_in(e), e.bits), kWhole};
  if (op == TREADLE_OP_READ || op == TREADLE_OP_INPUT) return {name_(e), kWhole};
  if (depth == kDeepest) return deeper_.insert(id), Part{"e" + std::to_string(id), kWhole};
  switch (op) {
    case TREADLE_OP_ZEXT:
    case TREADLE_OP_SEXT:  // the same number
      return part(e.a, depth + 1);
    case TREADLE_OP_NOT:
      return {(e.bits == 1 ? "!" : "~") + operand(e.a, depth + 1, kUnary - 1), kUnary};
    case TREADLE_OP_NEG:
      return {"-" + operand(e.a, depth + 1, kUnary - 1), kUnary};
    case TREADLE_OP_EXTRACT:
      return {operand(e.a, depth + 1, kUnary) + "[" + std::to_string(e.part + e.bits - 1) + ":" + std::to_string(e.part) + "]", kWhole};
    case TREADLE_OP_CONCAT:
      return {operand(e.a, depth + 1, binds(op) - 1) + " : " + operand(e.b, depth + 1, binds(op)), binds(op)};
    case TREADLE_OP_ITE:
      return {operand(e.a, depth + 1, 10) + " ? " + operand(e.b, depth + 1, 10) + " : " + operand(e.c, depth + 1, 9), 10};
    default:
      return binary(e, depth + 1);
  }
}

}  // namespace treadle
