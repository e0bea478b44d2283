// SPDX-License-Identifier: Apache-2.0
// Values of expressions, computed from what the reads that they are made of have found. Each is computed once, until something that it may
// depend on is forgotten.
#pragma once

#include <vector>

#include "solve/cell_expressions.h"

namespace treadle {

/// What stands in a cell.
struct Content {
  bool known = false;
  std::uint64_t value = 0;
  ValueId id = nothing;  // not known: the same only if this is, and is anything
};

/// The value that the read had in the trace.
bool is_as_it_was(const Content& content, const UnitRead& read, const Units& units);

class CellValues {
 public:
  explicit CellValues(const CellExpressions& expressions);

  /// Nothing has been read.
  void start();
  /// `leaf` is a number in CellExpressions::reads().
  void found(std::uint32_t leaf, const Content& content);

  /// False: not known.
  bool evaluate(ExpressionId id);
  /// Of one that is known.
  std::uint64_t operator[](ExpressionId id) const { return values_[id]; }
  bool holds(ExpressionId condition) { return evaluate(condition) && values_[condition] != 0; }
  Content content(const Written& written);

  /// How much has been computed, to go back there: everything since, and what was found since, is forgotten.
  std::size_t computed() const { return log_.size(); }
  void forget_since(std::size_t computed);

 private:
  bool evaluate_operands(const Expression& e);
  std::uint64_t compute(const Expression& e, bool& known) const;

  const CellExpressions& expressions_;
  std::vector<Content> leaf_values_;   // by number in reads()
  std::vector<std::uint64_t> values_;  // by expression
  std::vector<char> is_known_;
  std::vector<std::uint32_t> leaf_round_, value_round_;
  std::vector<ExpressionId> open_, log_;
  std::uint32_t round_ = 0;
};

}  // namespace treadle
