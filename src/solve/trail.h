// SPDX-License-Identifier: Apache-2.0
// What is assigned now, in the order it was assigned, and why: the state every part of the search shares.
#pragma once

#include <cstdint>
#include <vector>

#include "solve/clause_database.h"
#include "solve/order_solver.h"

namespace treadle {

using Variable = std::uint32_t;

inline Variable variable_of(Literal literal) { return literal.code >> 1; }
inline bool is_negated(Literal literal) { return (literal.code & 1) != 0; }
inline Literal literal_of(Variable variable, bool negated) { return {variable * 2 + (negated ? 1u : 0u)}; }

class Trail {
 public:
  Variable add_variable() {
    const auto variable = static_cast<Variable>(levels_.size());
    values_.resize(values_.size() + 2, 0);
    levels_.push_back(0);
    reasons_.push_back(no_clause);
    return variable;
  }
  std::size_t variables() const { return levels_.size(); }

  bool is_true(Literal literal) const { return values_[literal.code] > 0; }
  bool is_false(Literal literal) const { return values_[literal.code] < 0; }
  bool is_open(Variable variable) const { return values_[variable * 2] == 0; }

  /// Of an assigned variable: the decisions made when it got its value, and the clause that forced it (none: decided, or level 0).
  std::uint32_t level_of(Variable variable) const { return levels_[variable]; }
  ClauseRef reason_of(Variable variable) const { return reasons_[variable]; }

  void assign(Literal literal, ClauseRef reason) {
    values_[literal.code] = 1;
    values_[literal.code ^ 1] = -1;
    const Variable variable = variable_of(literal);
    levels_[variable] = level();
    reasons_[variable] = level() == 0 ? no_clause : reason;
    assigned_.push_back(literal);
  }

  void decide(Literal literal) {
    open_level();
    assign(literal, no_clause);
  }
  /// A level without a decision of its own: for an assumption that holds already.
  void open_level() { level_starts_.push_back(size()); }

  std::uint32_t level() const { return static_cast<std::uint32_t>(level_starts_.size()); }
  std::uint32_t start_of_level(std::uint32_t level) const { return level_starts_[level - 1]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(assigned_.size()); }
  Literal operator[](std::uint32_t index) const { return assigned_[index]; }

  /// Takes assignments back, last first, down to the end of `level`; `forget` is told each one.
  template <typename Forget>
  void back_to(std::uint32_t level, Forget forget) {
    const std::uint32_t start = start_of_level(level + 1);
    for (std::uint32_t index = size(); index-- > start;) {
      const Literal literal = assigned_[index];
      values_[literal.code] = 0;
      values_[literal.code ^ 1] = 0;
      forget(literal, index);
    }
    assigned_.resize(start);
    level_starts_.resize(level);
  }

 private:
  std::vector<std::int8_t> values_;  // by literal: 1 true, -1 false, 0 open
  std::vector<std::uint32_t> levels_;
  std::vector<ClauseRef> reasons_;
  std::vector<Literal> assigned_;
  std::vector<std::uint32_t> level_starts_;
};

}  // namespace treadle
