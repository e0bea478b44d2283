// SPDX-License-Identifier: Apache-2.0
// The expressions of a symbolic Trace as bits over a solver. Only what is asked for is made, each once; what a leaf is, a number that
// another event has written or an input that may be anything, is said by who asks.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "solve/bit_blaster.h"
#include "trace/expression.h"

namespace treadle {

/// One that is no leaf, made of the bits of its operands.
Bits bits_of_operation(BitBlaster& blaster, const Expression& e, const Bits& a, const Bits& b, const Bits& c);

class ExpressionBits {
 public:
  /// Bits for a READ or INPUT; as many as it has.
  using LeafBits = std::function<Bits(const Expression& leaf)>;

  /// `expressions` stay where they are.
  ExpressionBits(BitBlaster& blaster, std::span<const Expression> expressions, LeafBits leaf)
      : blaster_(blaster), expressions_(expressions), leaf_(std::move(leaf)), made_(expressions.size()) {}

  const Bits& operator[](ExpressionId id);
  /// Of an expression of one bit: a condition.
  Truth condition(ExpressionId id);

 private:
  bool is_made(ExpressionId id) const { return !made_[id].empty(); }
  Bits make(const Expression& e);

  BitBlaster& blaster_;
  std::span<const Expression> expressions_;
  LeafBits leaf_;
  std::vector<Bits> made_;
  std::vector<ExpressionId> pending_;
};

}  // namespace treadle
