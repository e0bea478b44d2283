// SPDX-License-Identifier: Apache-2.0
#include "runtime/symbolic_table.h"

#include <algorithm>
#include <cstddef>

#include "abi/expression_value.h"

namespace treadle {

namespace {

constexpr std::uint32_t kFirstIndex = 1u << 10;
constexpr std::uint64_t kLine = 8;  // entries in a cache line

}  // namespace

/// A node as two words. Put together in registers: a node that was just written field by field and is read as a whole makes the processor
/// wait, and that was a third of the time that expressions took.
struct ExpressionTable::Words {
  std::uint64_t low, high;
  bool operator==(const Words&) const = default;

  static Words of(TreadleExpressionOp op, unsigned bits, unsigned part, std::uint32_t a, std::uint32_t b, std::uint32_t c) noexcept {
    return {std::uint64_t{static_cast<std::uint8_t>(op)} | std::uint64_t{static_cast<std::uint8_t>(bits)} << 8 |
                std::uint64_t{static_cast<std::uint16_t>(part)} << 16 | std::uint64_t{a} << 32,
            std::uint64_t{b} | std::uint64_t{c} << 32};
  }
  static Words of(const TreadleExpression& node) noexcept {
    Words words;
    __builtin_memcpy(&words, &node, sizeof words);
    return words;
  }
  std::uint64_t hash() const noexcept {
    const std::uint64_t x = (low ^ (high << 31 | high >> 33)) * 0x9e3779b97f4a7c15ull;
    return (x ^ x >> 32) * 0xff51afd7ed558ccdull >> 20;
  }
  /// Where its line begins: by the operand made last, two places for each. Leaves have none, and lie anywhere.
  std::uint64_t line(std::uint64_t mask) const noexcept {
    const bool has_operands = static_cast<std::uint8_t>(low) >= TREADLE_OP_NOT;
    const std::uint64_t newest = std::max(low >> 32, std::max(high & UINT32_MAX, high >> 32)) * 2;
    return (has_operands ? newest : hash()) & mask & ~(kLine - 1);
  }
};
static_assert(sizeof(TreadleExpression) == 16 && offsetof(TreadleExpression, bits) == 1 && offsetof(TreadleExpression, part) == 2 &&
              offsetof(TreadleExpression, a) == 4 && offsetof(TreadleExpression, b) == 8 && offsetof(TreadleExpression, c) == 12);

void ExpressionTable::begin(const TableMemory& memory) noexcept {
  memory_ = memory;
  memory_.nodes[0] = TreadleExpression{};
  memory_.values[0] = 0;
  size_ = 1;
  last_read_ = 0;
  is_full_ = false;
  ++memory_.age->generation;
  memory_.age->mask = std::max(memory_.age->mask, kFirstIndex - 1);
}

ExpressionTable::Found ExpressionTable::find(const Words& node) const noexcept {
  const auto [generation, mask] = *memory_.age;
  const auto holds = [&](std::uint64_t at) { return memory_.index[at] >> 32 == generation; };
  const auto is_it = [&](std::uint64_t at) { return Words::of(memory_.nodes[static_cast<Expr>(memory_.index[at])]) == node; };
  std::uint64_t at = node.line(mask);
  for (const std::uint64_t end = at + kLine; at < end; ++at) {
    if (!holds(at)) return {0, at};
    if (is_it(at)) return {static_cast<Expr>(memory_.index[at]), at};
  }
  for (at = node.hash() & mask; holds(at); at = (at + 1) & mask)
    if (is_it(at)) return {static_cast<Expr>(memory_.index[at]), at};
  return {0, at};
}

void ExpressionTable::grow() noexcept {
  memory_.age->mask = memory_.age->mask * 2 + 1;
  const std::uint64_t generation = ++memory_.age->generation;
  for (Expr e = 1; e < size_; ++e) memory_.index[find(Words::of(memory_.nodes[e])).at] = generation << 32 | e;
}

/// Without entering it in the index.
Expr ExpressionTable::append(const Words& node, std::uint64_t value) noexcept {
  if (size_ >= memory_.most) {
    is_full_ = true;
    return 0;
  }
  const Expr e = size_++;
  __builtin_memcpy(&memory_.nodes[e], &node, sizeof node);
  memory_.values[e] = value;
  return e;
}

Expr ExpressionTable::add(const Words& node, std::uint64_t value) noexcept {
  const Found found = find(node);
  if (found.there != 0) return found.there;
  const Expr e = append(node, value);
  if (e == 0) return 0;
  memory_.index[found.at] = std::uint64_t{memory_.age->generation} << 32 | e;
  if (size_ * 2ull > memory_.age->mask) grow();
  return e;
}

Expr ExpressionTable::make(TreadleExpressionOp op, unsigned bits, std::uint64_t value, Expr a, Expr b, Expr c, unsigned part) noexcept {
  return add(Words::of(op, bits, part, a, b, c), value);
}

Expr ExpressionTable::constant(std::uint64_t value, unsigned bits) noexcept {
  value = treadle_masked(value, bits);
  return make(TREADLE_OP_CONSTANT, bits, value, 0, static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32));
}

Expr ExpressionTable::leaf(TreadleExpressionOp op, std::uint32_t event, unsigned part, unsigned bits, std::uint64_t value) noexcept {
  value = treadle_masked(value, bits);
  return make(op, bits, value, event, static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32), part);
}

Expr ExpressionTable::fresh_read(std::uint32_t event, unsigned part, unsigned bits, std::uint64_t value) noexcept {
  value = treadle_masked(value, bits);
  const Words node =
      Words::of(TREADLE_OP_READ, bits, part, event, static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32));
  if (last_read_ == 0 || Words::of(memory_.nodes[last_read_]) != node) last_read_ = append(node, value);
  return last_read_;
}

Expr ExpressionTable::unary(TreadleExpressionOp op, Expr a) noexcept {
  if (a == 0) return 0;
  const TreadleExpression node = memory_.nodes[a];
  const std::uint64_t result = treadle_applied(op, value(a), 0, node.bits);
  if (node.op == TREADLE_OP_CONSTANT) return constant(result, node.bits);
  if (node.op == op) return node.a;  // both undo themselves
  if (op == TREADLE_OP_NEG && node.bits == 1) return a;
  if (op == TREADLE_OP_NOT) switch (node.op) {
      case TREADLE_OP_EQ:
        return binary(TREADLE_OP_NE, node.a, node.b);
      case TREADLE_OP_NE:
        return binary(TREADLE_OP_EQ, node.a, node.b);
      case TREADLE_OP_ULT:
        return binary(TREADLE_OP_ULE, node.b, node.a);
      case TREADLE_OP_ULE:
        return binary(TREADLE_OP_ULT, node.b, node.a);
      case TREADLE_OP_SLT:
        return binary(TREADLE_OP_SLE, node.b, node.a);
      case TREADLE_OP_SLE:
        return binary(TREADLE_OP_SLT, node.b, node.a);
      default:
        break;
    }
  return make(op, node.bits, result, a);
}

Expr ExpressionTable::extend(TreadleExpressionOp op, Expr a, unsigned bits) noexcept {
  if (a == 0) return 0;
  const TreadleExpression node = memory_.nodes[a];
  if (node.bits >= bits) return a;
  const std::uint64_t result =
      op == TREADLE_OP_ZEXT ? value(a) : treadle_masked(static_cast<std::uint64_t>(treadle_signed(value(a), node.bits)), bits);
  if (node.op == TREADLE_OP_CONSTANT) return constant(result, bits);
  if (node.op == TREADLE_OP_ZEXT) return extend(TREADLE_OP_ZEXT, node.a, bits);  // its sign is 0
  if (node.op == op) return extend(op, node.a, bits);
  return make(op, bits, result, a);
}

/// Can the low part be had without a node more than it has?
bool ExpressionTable::narrows(Expr a, unsigned bits) const noexcept {
  const TreadleExpression& node = memory_.nodes[a];
  return node.op == TREADLE_OP_CONSTANT ||
         ((node.op == TREADLE_OP_ZEXT || node.op == TREADLE_OP_SEXT) && memory_.nodes[node.a].bits <= bits);
}

Expr ExpressionTable::narrowed(Expr a, unsigned bits) noexcept {
  const TreadleExpression node = memory_.nodes[a];
  if (node.op == TREADLE_OP_CONSTANT) return constant(value(a), bits);
  return extend(static_cast<TreadleExpressionOp>(node.op), node.a, bits);
}

Expr ExpressionTable::extract(Expr a, unsigned part, unsigned bits) noexcept {
  if (a == 0) return 0;
  const TreadleExpression node = memory_.nodes[a];
  if (part == 0 && bits == node.bits) return a;
  switch (node.op) {
    case TREADLE_OP_CONSTANT:
      return constant(value(a) >> part, bits);
    case TREADLE_OP_EXTRACT:
      return extract(node.a, node.part + part, bits);
    case TREADLE_OP_CONCAT: {
      const unsigned low = memory_.nodes[node.b].bits;
      if (part >= low) return extract(node.a, part - low, bits);
      if (part + bits <= low) return extract(node.b, part, bits);
      return concat(extract(node.a, 0, part + bits - low), extract(node.b, part, low - part));
    }
    case TREADLE_OP_ZEXT:
    case TREADLE_OP_SEXT: {
      const unsigned inner = memory_.nodes[node.a].bits;
      if (part + bits <= inner) return extract(node.a, part, bits);
      if (node.op == TREADLE_OP_ZEXT && part >= inner) return constant(0, bits);
      if (part < inner) return extend(static_cast<TreadleExpressionOp>(node.op), extract(node.a, part, inner - part), bits);
      break;
    }
    case TREADLE_OP_ADD:
    case TREADLE_OP_SUB:
    case TREADLE_OP_MUL:
    case TREADLE_OP_AND:
    case TREADLE_OP_OR:
    case TREADLE_OP_XOR:  // C computes with int what is stored as char
      if (part == 0 && narrows(node.a, bits) && narrows(node.b, bits))
        return binary(static_cast<TreadleExpressionOp>(node.op), narrowed(node.a, bits), narrowed(node.b, bits));
      break;
    case TREADLE_OP_ITE:
      if (is(node.b, TREADLE_OP_CONSTANT) || is(node.c, TREADLE_OP_CONSTANT))
        return select(node.a, extract(node.b, part, bits), extract(node.c, part, bits));
      break;
    default:
      break;
  }
  return make(TREADLE_OP_EXTRACT, bits, treadle_masked(value(a) >> part, bits), a, 0, 0, part);
}

Expr ExpressionTable::concat(Expr high, Expr low) noexcept {
  if (high == 0 || low == 0) return 0;
  const TreadleExpression h = memory_.nodes[high], l = memory_.nodes[low];
  const unsigned bits = h.bits + l.bits;
  const std::uint64_t result = value(high) << l.bits | value(low);
  if (h.op == TREADLE_OP_CONSTANT && l.op == TREADLE_OP_CONSTANT) return constant(result, bits);
  if (is_constant(high, 0)) return extend(TREADLE_OP_ZEXT, low, bits);
  auto lie_side_by_side = [](const TreadleExpression& above, const TreadleExpression& below) {
    if (above.op == TREADLE_OP_CONSTANT) return below.op == TREADLE_OP_CONSTANT;
    return above.op == TREADLE_OP_EXTRACT && below.op == TREADLE_OP_EXTRACT && above.a == below.a && above.part == below.part + below.bits;
  };
  if (lie_side_by_side(h, l)) return extract(h.a, l.part, bits);
  if (l.op == TREADLE_OP_CONCAT && lie_side_by_side(h, memory_.nodes[l.a])) return concat(concat(high, l.a), l.b);
  return make(TREADLE_OP_CONCAT, bits, result, high, low);
}

Expr ExpressionTable::select(Expr condition, Expr a, Expr b) noexcept {
  if (condition == 0 || a == 0 || b == 0) return 0;
  if (a == b) return a;
  const TreadleExpression node = memory_.nodes[condition];
  if (node.op == TREADLE_OP_CONSTANT) return value(condition) != 0 ? a : b;
  if (node.op == TREADLE_OP_NOT) return select(node.a, b, a);
  const unsigned width = bits(a);
  if (is_constant(a, 1) && is_constant(b, 0)) return extend(TREADLE_OP_ZEXT, condition, width);
  if (is_constant(a, 0) && is_constant(b, 1)) return extend(TREADLE_OP_ZEXT, negation(condition), width);
  if (width == 1) {
    if (is_constant(b, 0)) return binary(TREADLE_OP_AND, condition, a);
    if (is_constant(a, 1)) return binary(TREADLE_OP_OR, condition, b);
    if (is_constant(a, 0)) return binary(TREADLE_OP_AND, negation(condition), b);
    if (is_constant(b, 1)) return binary(TREADLE_OP_OR, negation(condition), a);
  }
  return make(TREADLE_OP_ITE, width, value(value(condition) != 0 ? a : b), condition, a, b);
}

}  // namespace treadle
