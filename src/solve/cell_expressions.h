// SPDX-License-Identifier: Apache-2.0
// The expressions of a symbolic trace over what its units find in cells, with everything that can be computed beforehand computed: reads of
// what the same unit has written are what it wrote, and a read all of whose possible sources left the same constant is that constant.
#pragma once

#include <unordered_map>
#include <vector>

#include "solve/read_sources.h"
#include "solve/symbolic_trace.h"

namespace treadle {

/// The first read of a cell in a unit; further ones see the same.
struct CellRead {
  UnitId unit = 0;
  std::uint32_t read = 0;  // Unit::reads
};

class CellExpressions {
 public:
  CellExpressions(const SymbolicTrace& symbolic, const ReadSources& sources, const CausalFormula& formula, Inputs inputs);

  /// READ: `a` is a number in reads(); as wide as its cell. INPUT, when inputs are free: as in the trace.
  std::span<const Expression> all() const { return all_; }
  std::span<const CellRead> reads() const { return reads_; }

  /// What became of an expression of the trace.
  ExpressionId of(ExpressionId in_trace) const { return now_[in_trace]; }

  /// What an event left in a cell: an expression of all(), or else a constant, or else nobody knows.
  Written written(std::uint32_t event, CellId cell) const;

  bool is_constant(ExpressionId id) const { return all_[id].op == TREADLE_OP_CONSTANT; }

 private:
  static std::uint64_t key(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; }
  ExpressionId add(ExpressionOp op, unsigned bits, unsigned part, ExpressionId a, ExpressionId b = 0, ExpressionId c = 0);
  ExpressionId constant(std::uint64_t value, unsigned bits);
  std::optional<ExpressionId> gathered(ExpressionOp op, unsigned bits, ExpressionId a, ExpressionId b);
  ExpressionId push(ExpressionOp op, unsigned bits, ExpressionId a, ExpressionId b);
  ExpressionId rewritten(const Expression& e);
  ExpressionId whole_read(const Expression& e);
  ExpressionId cell_read(std::uint32_t event, CellId cell);
  std::optional<std::uint64_t> folded(UnitId unit, const UnitRead& read) const;
  std::optional<std::uint64_t> constant_of(const Written& written, unsigned bits) const;
  ExpressionId part_of(const Written& written, unsigned bits);
  void find_writes();

  const SymbolicTrace& symbolic_;
  const ReadSources& sources_;
  const CausalFormula& formula_;
  Inputs inputs_;
  std::vector<Expression> all_;
  std::vector<ExpressionId> now_;  // by number in the trace; 0: not yet
  std::vector<CellRead> reads_;
  std::unordered_map<std::uint64_t, ExpressionId> cell_reads_;   // by unit and cell
  std::unordered_map<std::uint64_t, std::uint32_t> unit_reads_;  // by unit and cell: the first one
  std::unordered_map<std::uint64_t, Written> written_;           // by event and cell: those with an expression
};

}  // namespace treadle
