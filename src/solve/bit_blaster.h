// SPDX-License-Identifier: Apache-2.0
// Values of 1 to 64 bits over an OrderSolver: each bit is a literal or a constant. The operations are those of abi/symbolic.h and mean what
// trace/expression.h's apply() computes; what is constant in their operands makes them smaller, down to nothing.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "solve/gates.h"
#include "trace/expression.h"

namespace treadle {

/// The lowest bit first.
using Bits = std::vector<Truth>;

class BitBlaster {
 public:
  explicit BitBlaster(OrderSolver& solver) : gates_(solver) {}

  Bits constant(std::uint64_t value, unsigned bits) const;
  Bits fresh(unsigned bits);
  /// That has had a value.
  Bits fresh(unsigned bits, std::uint64_t suggested);

  /// NOT, NEG and every operation on two values of the same width. Comparisons have one bit.
  Bits apply(ExpressionOp op, const Bits& a, const Bits& b = {});
  Bits zero_extended(Bits a, unsigned bits) const;
  Bits sign_extended(Bits a, unsigned bits) const;
  Bits extracted(const Bits& a, unsigned lowest, unsigned bits) const;
  Bits concatenated(const Bits& high, const Bits& low) const;
  Bits choose(Truth condition, const Bits& yes, const Bits& no);

  Truth equal(const Bits& a, const Bits& b);
  Truth less_unsigned(const Bits& a, const Bits& b) { return compared(a, b, false); }
  Truth less_or_equal_unsigned(const Bits& a, const Bits& b) { return compared(a, b, true); }
  Truth less_signed(Bits a, Bits b);
  Truth less_or_equal_signed(Bits a, Bits b);
  Truth is_zero(const Bits& a);

  /// Whenever `condition` holds the two are equal. Cheaper than equal() in a clause: no gate, two clauses for each bit.
  void require_equal(const Bits& a, const Bits& b, Truth condition = true);

  /// After Yes.
  std::uint64_t value(const Bits& bits) const;

  /// For conditions on top of values.
  Gates& gates() { return gates_; }

 private:
  struct Sum {
    Bits bits;
    Truth carry;
  };
  Sum added(const Bits& a, const Bits& b, Truth carry);
  Bits negated(const Bits& a);
  Bits negated_if(Truth condition, const Bits& a);
  Bits bitwise(Truth (Gates::*gate)(Truth, Truth), const Bits& a, const Bits& b);
  Bits shifted(ExpressionOp op, const Bits& a, const Bits& by);
  Bits multiplied(const Bits& a, const Bits& b);
  Bits multiplied_by_constant(const Bits& a, std::uint64_t factor);
  Bits divided_signed(ExpressionOp op, const Bits& a, const Bits& b);
  Truth compared(const Bits& a, const Bits& b, bool when_equal);

  struct Division {
    Bits quotient, remainder;
  };
  const Division& divided(const Bits& a, const Bits& b);
  Division long_division(const Bits& a, const Bits& b);

  Gates gates_;
  std::map<std::vector<std::uint32_t>, Division> divisions_;  // quotient and remainder of the same two come from one
};

}  // namespace treadle
