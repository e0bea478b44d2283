// SPDX-License-Identifier: Apache-2.0
// Sums, products, quotients.
//
// Quotients by long division in base two, each row only as wide as the remainder can be by then, which makes it half the square. The other
// way, two open numbers with q * b + r = a and r < b, has a third fewer gates but nothing follows from known operands without search:
// with it, that 64 bits divided by 64 given ones have no second quotient took seconds instead of nothing.
#include <bit>

#include "base/check.h"
#include "solve/bit_blaster.h"

namespace treadle {
namespace {

bool is_constant(const Bits& bits) {
  for (const Truth t : bits)
    if (t.is_open()) return false;
  return true;
}

std::uint64_t constant_of(const Bits& bits) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bits.size() && i < 64; ++i) value |= std::uint64_t{bits[i].is_true()} << i;
  return value;
}

std::size_t constants_in(const Bits& bits) {
  std::size_t count = 0;
  for (const Truth t : bits) count += t.is_open() ? 0 : 1;
  return count;
}

/// a * 2^distance, in as many bits.
Bits moved_up(const Bits& a, std::size_t distance) {
  Bits made(a.size(), false);
  for (std::size_t i = 0; i + distance < a.size(); ++i) made[i + distance] = a[i];
  return made;
}

std::uint32_t code_of(Truth t) { return t.is_open() ? t.literal().code + 2 : std::uint32_t{t.is_true()}; }

}  // namespace

BitBlaster::Sum BitBlaster::added(const Bits& a, const Bits& b, Truth carry) {
  Bits sum;
  sum.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum.push_back(gates_.parity(a[i], b[i], carry));
    carry = gates_.majority(a[i], b[i], carry);
  }
  return {std::move(sum), carry};
}

Bits BitBlaster::negated(const Bits& a) { return added(apply(TREADLE_OP_NOT, a), Bits(a.size(), false), true).bits; }

Bits BitBlaster::negated_if(Truth condition, const Bits& a) {
  return added(bitwise(&Gates::differ, a, Bits(a.size(), condition)), Bits(a.size(), false), condition).bits;
}

Bits BitBlaster::multiplied(const Bits& a, const Bits& b) {
  if (constants_in(a) > constants_in(b)) return multiplied(b, a);
  if (is_constant(b)) return multiplied_by_constant(a, constant_of(b));
  Bits sum(a.size(), false);
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (b[i].is_false()) continue;
    sum = added(sum, bitwise(&Gates::both, moved_up(a, i), Bits(a.size(), b[i])), false).bits;
  }
  return sum;
}

// A run of ones is one addition and one subtraction: no digit of `factor` needs a neighbour (non-adjacent form).
Bits BitBlaster::multiplied_by_constant(const Bits& a, std::uint64_t factor) {
  Bits sum(a.size(), false);
  bool carry = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const unsigned low = (i < 64 ? factor >> i & 1 : 0) + (carry ? 1 : 0);
    const bool next = i + 1 < 64 && (factor >> (i + 1) & 1) != 0;
    carry = low == 2 || (low == 1 && next);
    if (low != 1) continue;
    sum = apply(next ? TREADLE_OP_SUB : TREADLE_OP_ADD, sum, moved_up(a, i));
  }
  return sum;
}

const BitBlaster::Division& BitBlaster::divided(const Bits& a, const Bits& b) {
  std::vector<std::uint32_t> key;
  for (const Bits* bits : {&a, &b})
    for (const Truth t : *bits) key.push_back(code_of(t));
  const auto known = divisions_.find(key);
  if (known != divisions_.end()) return known->second;
  return divisions_.emplace(std::move(key), long_division(a, b)).first->second;
}

// Dividing by zero comes out as apply() has it: zero goes into everything, and takes nothing away.
BitBlaster::Division BitBlaster::long_division(const Bits& a, const Bits& b) {
  const std::size_t width = a.size();
  const std::size_t widest = is_constant(b) && constant_of(b) != 0 ? std::bit_width(constant_of(b)) : width;
  Division result{Bits(width, false), {}};
  Bits& rest = result.remainder;
  for (std::size_t row = 1; row <= width; ++row) {
    rest.insert(rest.begin(), a[width - row]);
    const Bits low(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(rest.size()));
    const Sum difference = added(rest, apply(TREADLE_OP_NOT, low), true);
    const Truth fits = gates_.both(difference.carry, is_zero(Bits(b.begin() + static_cast<std::ptrdiff_t>(rest.size()), b.end())));
    result.quotient[width - row] = fits;
    rest = choose(fits, difference.bits, rest);
    if (rest.size() > widest) rest.resize(widest, false);  // smaller than b: what is cut off is zero
  }
  rest.resize(width, false);
  return result;
}

// The signs apart. Division by zero and lowest / -1 come out as apply() has them.
Bits BitBlaster::divided_signed(ExpressionOp op, const Bits& a, const Bits& b) {
  const Division& result = divided(negated_if(a.back(), a), negated_if(b.back(), b));
  if (op == TREADLE_OP_SREM) return negated_if(a.back(), result.remainder);
  return negated_if(gates_.differ(a.back(), b.back()), result.quotient);
}

}  // namespace treadle
