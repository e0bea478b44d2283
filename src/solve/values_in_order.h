// SPDX-License-Identifier: Apache-2.0
// The values that come about when units are made in the order that was found, computed one after the other: which units would not happen as
// recorded in it. What holds anyway never has to be told to a solver: of a long trace a question changes little.
#pragma once

#include <vector>

#include "solve/cell_values.h"

namespace treadle {

class ValuesInOrder {
 public:
  ValuesInOrder(const SymbolicTrace& symbolic, const CellExpressions& expressions, const CausalFormula& formula);

  /// Units of the past whose conditions do not hold, or whose reads do not keep the value that they must keep; or where that is not known.
  std::vector<UnitId> broken(const Past& past);

 private:
  void make(UnitId unit, const Past& past);
  Content found(UnitId unit, const UnitRead& read, const Past& past);
  bool conditions_hold(UnitId unit, bool trailing);

  const SymbolicTrace& symbolic_;
  const CellExpressions& expressions_;
  const CausalFormula& formula_;
  std::vector<std::uint32_t> first_leaf_, leaves_;  // by unit, their numbers in reads(): one list after the other
  CellValues values_;
  std::vector<Content> memory_;  // by cell
  std::vector<std::uint32_t> memory_round_;
  std::uint32_t round_ = 0;
};

}  // namespace treadle
