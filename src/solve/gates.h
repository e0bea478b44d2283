// SPDX-License-Identifier: Apache-2.0
// Gates over literals: each becomes clauses that define it (Tseitin), once. Constants, equal and opposite inputs fold away, and a gate
// that is asked for again, with its inputs in any order or polarity that comes to the same, is the one made before.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <unordered_map>
#include <vector>

#include "solve/order_solver.h"
#include "solve/truth.h"

namespace treadle {

class Gates {
 public:
  explicit Gates(OrderSolver& solver) : solver_(solver) {}

  Truth open() { return solver_.add_literal(); }

  Truth both(Truth a, Truth b);
  Truth either(Truth a, Truth b) { return ~both(~a, ~b); }
  Truth differ(Truth a, Truth b);
  Truth same(Truth a, Truth b) { return ~differ(a, b); }
  Truth choose(Truth condition, Truth yes, Truth no);
  /// Two of the three: the carry of an addition.
  Truth majority(Truth a, Truth b, Truth c);
  /// One or all of the three: the sum of an addition.
  Truth parity(Truth a, Truth b, Truth c);
  Truth all(std::span<const Truth> truths);
  Truth any(std::span<const Truth> truths);

  /// At least one of them holds, whatever is asked.
  void clause(std::initializer_list<Truth> truths) { clause(std::span(truths.begin(), truths.size())); }
  void clause(std::span<const Truth> truths);

  /// After Yes. What no clause speaks of is whatever the solver says.
  bool holds(Truth t) const { return t.is_true() || (t.is_open() && solver_.holds(t.literal())); }

  OrderSolver& solver() const { return solver_; }
  std::uint64_t made() const { return made_.size(); }

 private:
  enum class Kind : std::uint32_t { Both, Differ, Choose, Majority, Parity };
  using Key = std::array<std::uint32_t, 4>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  /// The gate of these inputs, and whether it is new.
  std::pair<Literal, bool> find_or_make(Kind kind, Literal a, Literal b, Literal c);
  void define(std::initializer_list<Literal> clause);

  OrderSolver& solver_;
  std::unordered_map<Key, Literal, KeyHash> made_;
  std::vector<Literal> scratch_;
};

}  // namespace treadle
