// SPDX-License-Identifier: Apache-2.0
// For tests: well-formed expressions over a few reads, at random.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "trace/expression.h"

namespace treadle {

class MadeUpExpressions {
 public:
  explicit MadeUpExpressions(std::uint64_t seed) : random_(seed), all_(1) {}

  const std::vector<Expression>& all() const { return all_; }
  ExpressionId last() const { return static_cast<ExpressionId>(all_.size() - 1); }
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  /// Numbers at which something changes come up more often than others.
  std::uint64_t value(unsigned bits) {
    const std::uint64_t mask = ~0ull >> (64 - bits);
    switch (below(6)) {
      case 0:
        return below(4) & mask;
      case 1:
        return (0 - below(4)) & mask;
      case 2:
        return (1ull << (bits - 1)) & mask;
      case 3:
        return (1ull << below(bits)) & mask;
      default:
        return random_() >> below(64) & mask;
    }
  }

  ExpressionId add(ExpressionOp op, unsigned bits, ExpressionId a = 0, ExpressionId b = 0, ExpressionId c = 0, unsigned part = 0) {
    all_.push_back({static_cast<std::uint8_t>(op), static_cast<std::uint8_t>(bits), static_cast<std::uint16_t>(part), a, b, c});
    return last();
  }
  ExpressionId constant(std::uint64_t value, unsigned bits) {
    return add(TREADLE_OP_CONSTANT, bits, 0, static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32));
  }
  ExpressionId read(std::uint32_t event, std::uint64_t seen, unsigned bits) {
    return add(TREADLE_OP_READ, bits, event, static_cast<std::uint32_t>(seen), static_cast<std::uint32_t>(seen >> 32));
  }

  /// One of `bits` bits that there is, or a constant.
  ExpressionId any_of(unsigned bits) {
    if (below(4) == 0) return constant(value(bits), bits);
    for (ExpressionId tries = 0; tries < 2 * all_.size(); ++tries) {
      const auto id = static_cast<ExpressionId>(1 + below(all_.size() - 1));
      if (all_[id].bits == bits) return id;
    }
    return constant(value(bits), bits);
  }

  /// An operation of one width, on what is there.
  ExpressionId operation(ExpressionOp op, unsigned bits) {
    const bool is_comparison = op >= TREADLE_OP_EQ && op <= TREADLE_OP_SLE;
    const ExpressionId a = any_of(bits);
    const ExpressionId b = operands_of(op) > 1 ? any_of(bits) : 0;
    return add(op, is_comparison ? 1 : bits, a, b);
  }

  /// Changes a value of one width into one of the other.
  ExpressionId fitted(ExpressionId id, unsigned bits) {
    const unsigned has = all_[id].bits;
    if (has == bits) return id;
    if (has > bits) return add(TREADLE_OP_EXTRACT, bits, id, 0, 0, static_cast<unsigned>(below(has - bits + 1)));
    if (below(3) == 0) return add(TREADLE_OP_CONCAT, bits, any_of(bits - has), id);
    return add(below(2) == 0 ? TREADLE_OP_ZEXT : TREADLE_OP_SEXT, bits, id);
  }

  ExpressionId choice(unsigned bits) {
    const ExpressionId condition = any_of(1), yes = any_of(bits), no = any_of(bits);
    return add(TREADLE_OP_ITE, bits, condition, yes, no);
  }

 private:
  std::mt19937_64 random_;
  std::vector<Expression> all_;
};

}  // namespace treadle
