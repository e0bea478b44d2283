// SPDX-License-Identifier: Apache-2.0
// Words, bit by bit. Arithmetic that needs more thought is in bit_arithmetic.cpp.
#include "solve/bit_blaster.h"

#include "base/check.h"

namespace treadle {

Bits BitBlaster::constant(std::uint64_t value, unsigned bits) const {
  Bits made;
  made.reserve(bits);
  for (unsigned i = 0; i < bits; ++i) made.emplace_back(i < 64 && (value >> i & 1) != 0);
  return made;
}

Bits BitBlaster::fresh(unsigned bits, std::uint64_t suggested) {
  Bits made = fresh(bits);
  for (unsigned i = 0; i < bits; ++i) gates_.solver().suggest(made[i].literal(), (suggested >> i & 1) != 0);
  return made;
}

Bits BitBlaster::fresh(unsigned bits) {
  Bits made;
  made.reserve(bits);
  for (unsigned i = 0; i < bits; ++i) made.push_back(gates_.open());
  return made;
}

Bits BitBlaster::apply(ExpressionOp op, const Bits& a, const Bits& b) {
  check(operands_of(op) == 1 || a.size() == b.size(), "operands have one width");
  switch (op) {
    case TREADLE_OP_NOT:
      return bitwise(&Gates::differ, a, Bits(a.size(), true));
    case TREADLE_OP_NEG:
      return negated(a);
    case TREADLE_OP_ADD:
      return added(a, b, false).bits;
    case TREADLE_OP_SUB:
      return added(a, apply(TREADLE_OP_NOT, b), true).bits;
    case TREADLE_OP_MUL:
      return multiplied(a, b);
    case TREADLE_OP_UDIV:
      return divided(a, b).quotient;
    case TREADLE_OP_UREM:
      return divided(a, b).remainder;
    case TREADLE_OP_SDIV:
    case TREADLE_OP_SREM:
      return divided_signed(op, a, b);
    case TREADLE_OP_AND:
      return bitwise(&Gates::both, a, b);
    case TREADLE_OP_OR:
      return bitwise(&Gates::either, a, b);
    case TREADLE_OP_XOR:
      return bitwise(&Gates::differ, a, b);
    case TREADLE_OP_SHL:
    case TREADLE_OP_LSHR:
    case TREADLE_OP_ASHR:
      return shifted(op, a, b);
    case TREADLE_OP_EQ:
      return {equal(a, b)};
    case TREADLE_OP_NE:
      return {~equal(a, b)};
    case TREADLE_OP_ULT:
      return {less_unsigned(a, b)};
    case TREADLE_OP_ULE:
      return {less_or_equal_unsigned(a, b)};
    case TREADLE_OP_SLT:
      return {less_signed(a, b)};
    case TREADLE_OP_SLE:
      return {less_or_equal_signed(a, b)};
    default:
      check(false, "an operation on values of one width");
      return {};
  }
}

Bits BitBlaster::zero_extended(Bits a, unsigned bits) const {
  a.resize(bits, false);
  return a;
}

Bits BitBlaster::sign_extended(Bits a, unsigned bits) const {
  const Truth sign = a.back();
  a.resize(bits, sign);
  return a;
}

Bits BitBlaster::extracted(const Bits& a, unsigned lowest, unsigned bits) const {
  check(lowest + bits <= a.size(), "bits are taken from where there are some");
  return {a.begin() + lowest, a.begin() + lowest + bits};
}

Bits BitBlaster::concatenated(const Bits& high, const Bits& low) const {
  Bits made = low;
  made.insert(made.end(), high.begin(), high.end());
  return made;
}

Bits BitBlaster::choose(Truth condition, const Bits& yes, const Bits& no) {
  check(yes.size() == no.size(), "either choice has the same width");
  Bits made;
  made.reserve(yes.size());
  for (std::size_t i = 0; i < yes.size(); ++i) made.push_back(gates_.choose(condition, yes[i], no[i]));
  return made;
}

Bits BitBlaster::bitwise(Truth (Gates::*gate)(Truth, Truth), const Bits& a, const Bits& b) {
  Bits made;
  made.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) made.push_back((gates_.*gate)(a[i], b[i]));
  return made;
}

// One stage for each bit of the distance that can leave something; any higher bit leaves nothing.
Bits BitBlaster::shifted(ExpressionOp op, const Bits& a, const Bits& by) {
  const std::size_t width = a.size();
  const Truth filler = op == TREADLE_OP_ASHR ? a.back() : Truth(false);
  auto moved = [&](const Bits& from, std::size_t distance) {
    Bits made(width, filler);
    for (std::size_t i = 0; i + distance < width; ++i) {
      if (op == TREADLE_OP_SHL)
        made[i + distance] = from[i];
      else
        made[i] = from[i + distance];
    }
    return made;
  };
  Bits made = a;
  std::size_t stage = 0;
  for (; (std::size_t{1} << stage) < width; ++stage) made = choose(by[stage], moved(made, std::size_t{1} << stage), made);
  return choose(gates_.any(std::span(by).subspan(stage)), Bits(width, filler), made);
}

Truth BitBlaster::equal(const Bits& a, const Bits& b) {
  check(a.size() == b.size(), "values that are compared have one width");
  return gates_.all(bitwise(&Gates::same, a, b));
}

Truth BitBlaster::is_zero(const Bits& a) { return ~gates_.any(a); }

// From the lowest bit up: where the two differ the higher bit decides.
Truth BitBlaster::compared(const Bits& a, const Bits& b, bool when_equal) {
  check(a.size() == b.size(), "values that are compared have one width");
  Truth less = when_equal;
  for (std::size_t i = 0; i < a.size(); ++i) less = gates_.majority(~a[i], b[i], less);
  return less;
}

Truth BitBlaster::less_signed(Bits a, Bits b) {
  std::swap(a.back(), b.back());
  return less_unsigned(a, b);
}

Truth BitBlaster::less_or_equal_signed(Bits a, Bits b) {
  std::swap(a.back(), b.back());
  return less_or_equal_unsigned(a, b);
}

void BitBlaster::require_equal(const Bits& a, const Bits& b, Truth condition) {
  check(a.size() == b.size(), "values that are equal have one width");
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    gates_.clause({~condition, a[i], ~b[i]});
    gates_.clause({~condition, ~a[i], b[i]});
  }
}

std::uint64_t BitBlaster::value(const Bits& bits) const {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) value |= std::uint64_t{gates_.holds(bits[i])} << i;
  return value;
}

}  // namespace treadle
