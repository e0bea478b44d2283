// SPDX-License-Identifier: Apache-2.0
// The expressions of one execution (abi/symbolic.h): hash-consed, folded, each with the value it has in this run. Knows nothing of threads
// or memory, so it is tested by itself.
//
// Nodes go straight into the shared block. The index of equal ones starts small and is made again at twice the size when it is half full;
// it keeps that size, since the next execution of the program will need it too. Entries carry a generation, so that nothing has to be
// cleared between executions.
#pragma once

#include <cstdint>

#include "abi/symbolic.h"

namespace treadle {

using Expr = std::uint32_t;  // 0: none

/// What of the index outlives executions. Zero before the first one.
struct TableAge {
  std::uint32_t generation;
  std::uint32_t mask;  // of places in the index
};

/// Where the parts lie that are too large for the arena. `index` has room for twice the power of two that `most` fits into,
/// and for 2,048 at least.
struct TableMemory {
  TreadleExpression* nodes;
  std::uint64_t* values;
  std::uint64_t* index;
  TableAge* age;
  std::uint32_t most;  // nodes, number 0 counted
};

class ExpressionTable {
 public:
  void begin(const TableMemory& memory) noexcept;

  std::uint32_t size() const noexcept { return size_; }
  const TreadleExpression& operator[](Expr e) const noexcept { return memory_.nodes[e]; }
  std::uint64_t value(Expr e) const noexcept { return memory_.values[e]; }
  unsigned bits(Expr e) const noexcept { return memory_.nodes[e].bits; }
  bool is(Expr e, TreadleExpressionOp op) const noexcept { return memory_.nodes[e].op == op; }
  bool is_constant(Expr e, std::uint64_t value) const noexcept { return is(e, TREADLE_OP_CONSTANT) && memory_.values[e] == value; }

  /// Once something did not fit, everything made of it is 0: none.
  bool is_full() const noexcept { return is_full_; }
  void make_room(std::uint32_t nodes) noexcept { memory_.most = nodes, is_full_ = false; }

  Expr constant(std::uint64_t value, unsigned bits) noexcept;
  Expr leaf(TreadleExpressionOp op, std::uint32_t event, unsigned part, unsigned bits, std::uint64_t value) noexcept;
  /// The same for a read that nobody has asked about but the one who asked last: there is nothing to look for.
  Expr fresh_read(std::uint32_t event, unsigned part, unsigned bits, std::uint64_t value) noexcept;

  // Operands fit each other and are not 0, but for a full table's. All fold.
  Expr unary(TreadleExpressionOp op, Expr a) noexcept;
  Expr binary(TreadleExpressionOp op, Expr a, Expr b) noexcept;
  Expr extend(TreadleExpressionOp op, Expr a, unsigned bits) noexcept;  // ZEXT, SEXT
  Expr extract(Expr a, unsigned part, unsigned bits) noexcept;
  Expr concat(Expr high, Expr low) noexcept;
  Expr select(Expr condition, Expr a, Expr b) noexcept;
  Expr negation(Expr condition) noexcept { return unary(TREADLE_OP_NOT, condition); }
  Expr equal(Expr a, std::uint64_t value) noexcept { return a == 0 ? 0 : binary(TREADLE_OP_EQ, a, constant(value, bits(a))); }

 private:
  struct Words;
  struct Found {
    Expr there;        // 0: it is not
    std::uint64_t at;  // but would have to be entered here
  };
  Found find(const Words& node) const noexcept;
  Expr add(const Words& node, std::uint64_t value) noexcept;
  Expr append(const Words& node, std::uint64_t value) noexcept;
  Expr make(TreadleExpressionOp op, unsigned bits, std::uint64_t value, Expr a, Expr b = 0, Expr c = 0, unsigned part = 0) noexcept;
  void grow() noexcept;

  Expr arithmetic(TreadleExpressionOp op, Expr a, Expr b) noexcept;  // 0: nothing to fold
  Expr bitwise(TreadleExpressionOp op, Expr a, Expr b) noexcept;
  Expr shift(TreadleExpressionOp op, Expr a, Expr b) noexcept;
  Expr comparison(TreadleExpressionOp op, Expr a, Expr b) noexcept;
  Expr equality(TreadleExpressionOp op, Expr a, std::uint64_t value) noexcept;
  Expr either(bool holds) noexcept { return constant(holds ? 1 : 0, 1); }
  Expr narrowed(Expr a, unsigned bits) noexcept;
  bool narrows(Expr a, unsigned bits) const noexcept;

  TableMemory memory_;
  std::uint32_t size_;
  Expr last_read_;
  bool is_full_;
};

}  // namespace treadle
