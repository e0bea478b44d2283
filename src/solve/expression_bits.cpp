// SPDX-License-Identifier: Apache-2.0
#include "solve/expression_bits.h"

#include <array>

#include "base/check.h"

namespace treadle {

// Sums over long loops are as deep as the loops are long: no recursion.
const Bits& ExpressionBits::operator[](ExpressionId id) {
  check(id != 0 && id < expressions_.size(), "an expression of the trace is asked for");
  if (!is_made(id)) pending_.push_back(id);
  while (!pending_.empty()) {
    const ExpressionId next = pending_.back();
    const Expression& e = expressions_[next];
    const std::array operands{e.a, e.b, e.c};
    bool ready = true;
    for (unsigned i = 0; i < operands_of(static_cast<ExpressionOp>(e.op)); ++i) {
      if (is_made(operands[i])) continue;
      pending_.push_back(operands[i]);
      ready = false;
    }
    if (!ready) continue;
    pending_.pop_back();
    if (!is_made(next)) made_[next] = make(e);
  }
  return made_[id];
}

Truth ExpressionBits::condition(ExpressionId id) {
  const Bits& bits = (*this)[id];
  check(bits.size() == 1, "a condition has one bit");
  return bits.front();
}

Bits ExpressionBits::make(const Expression& e) {
  switch (static_cast<ExpressionOp>(e.op)) {
    case TREADLE_OP_CONSTANT:
      return blaster_.constant(value_in(e), e.bits);
    case TREADLE_OP_READ:
    case TREADLE_OP_INPUT: {
      Bits bits = leaf_(e);
      check(bits.size() == e.bits, "a leaf has the bits of its expression");
      return bits;
    }
    default: {
      static const Bits none;
      const unsigned count = operands_of(static_cast<ExpressionOp>(e.op));
      return bits_of_operation(blaster_, e, made_[e.a], count > 1 ? made_[e.b] : none, count > 2 ? made_[e.c] : none);
    }
  }
}

Bits bits_of_operation(BitBlaster& blaster, const Expression& e, const Bits& a, const Bits& b, const Bits& c) {
  switch (static_cast<ExpressionOp>(e.op)) {
    case TREADLE_OP_ZEXT:
      return blaster.zero_extended(a, e.bits);
    case TREADLE_OP_SEXT:
      return blaster.sign_extended(a, e.bits);
    case TREADLE_OP_EXTRACT:
      return blaster.extracted(a, e.part, e.bits);
    case TREADLE_OP_CONCAT:
      return blaster.concatenated(a, b);
    case TREADLE_OP_ITE:
      return blaster.choose(a.front(), b, c);
    case TREADLE_OP_NOT:
    case TREADLE_OP_NEG:
      return blaster.apply(static_cast<ExpressionOp>(e.op), a);
    default:
      return blaster.apply(static_cast<ExpressionOp>(e.op), a, b);
  }
}

}  // namespace treadle
