// SPDX-License-Identifier: Apache-2.0
// For tests: small random formulas about order, handed to a solver piece by piece, and answered by trying everything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "solve/order_solver.h"

namespace treadle {

/// A literal of a made-up formula: about a pair of nodes, or (first == second) a plain Boolean of that number.
struct MadeUpLiteral {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  bool negated = false;

  bool is_order() const { return first != second; }
};

struct MadeUpFormula {
  std::uint32_t nodes = 0;
  std::uint32_t booleans = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  std::vector<std::vector<MadeUpLiteral>> clauses;
};

class MadeUpFormulas {
 public:
  explicit MadeUpFormulas(std::uint64_t seed) : random_(seed) {}

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  /// Edges agree with a hidden line that has nothing to do with the numbers of the nodes.
  MadeUpFormula formula(std::uint32_t nodes, std::uint32_t booleans, std::uint32_t edges, std::uint32_t clauses) {
    MadeUpFormula formula{nodes, booleans, {}, {}};
    std::vector<std::uint32_t> line(nodes);
    std::iota(line.begin(), line.end(), 0);
    std::shuffle(line.begin(), line.end(), random_);
    for (std::uint32_t i = 0; i < edges && nodes > 1; ++i) {
      const std::uint32_t from = below(nodes - 1);
      const std::uint32_t to = from + 1 + below(nodes - from - 1);
      formula.edges.emplace_back(line[from], line[to]);
    }
    for (std::uint32_t i = 0; i < clauses; ++i) formula.clauses.push_back(literals(formula, 1 + below(3)));
    return formula;
  }

  std::vector<MadeUpLiteral> literals(const MadeUpFormula& formula, std::uint32_t count) {
    std::vector<MadeUpLiteral> made;
    while (made.size() < count) made.push_back(literal(formula));
    return made;
  }

 private:
  MadeUpLiteral literal(const MadeUpFormula& formula) {
    const bool negated = below(2) == 0;
    if (formula.nodes < 2 || (formula.booleans > 0 && below(3) == 0)) {
      const std::uint32_t number = below(formula.booleans);
      return {number, number, negated};
    }
    const std::uint32_t first = below(formula.nodes);
    const std::uint32_t second = (first + 1 + below(formula.nodes - 1)) % formula.nodes;
    return {first, second, negated};
  }

  std::mt19937_64 random_;
};

/// The formula as a solver knows it.
class HandedOver {
 public:
  explicit HandedOver(OrderSolver& solver) : solver_(solver) {}

  void nodes_up_to(std::uint32_t count) {
    while (nodes.size() < count) nodes.push_back(solver_.add_node());
  }
  void booleans_up_to(std::uint32_t count) {
    while (booleans.size() < count) booleans.push_back(solver_.add_literal());
  }
  void edge(std::pair<std::uint32_t, std::uint32_t> edge) { solver_.add_edge(nodes[edge.first], nodes[edge.second]); }

  Literal literal(const MadeUpLiteral& made) {
    const Literal literal = made.is_order() ? solver_.before(nodes[made.first], nodes[made.second]) : booleans[made.first];
    return made.negated ? ~literal : literal;
  }
  std::vector<Literal> literals(std::span<const MadeUpLiteral> made) {
    std::vector<Literal> all;
    for (const MadeUpLiteral& one : made) all.push_back(literal(one));
    return all;
  }
  void clause(std::span<const MadeUpLiteral> clause) { solver_.add_clause(literals(clause)); }

  void all_of(const MadeUpFormula& formula) {
    nodes_up_to(formula.nodes);
    booleans_up_to(formula.booleans);
    for (const auto& one : formula.edges) edge(one);
    for (const auto& one : formula.clauses) clause(one);
  }

  std::vector<OrderNode> nodes;
  std::vector<Literal> booleans;

 private:
  OrderSolver& solver_;
};

/// Does the line (position of each node) with these Booleans satisfy the formula and the assumptions?
inline bool satisfies(const MadeUpFormula& formula, std::span<const MadeUpLiteral> assumptions, std::span<const std::uint32_t> position,
                      std::uint32_t booleans) {
  const auto holds = [&](const MadeUpLiteral& literal) {
    const bool value = literal.is_order() ? position[literal.first] < position[literal.second] : (booleans >> literal.first & 1) != 0;
    return value != literal.negated;
  };
  const auto respected = [&](const auto& edge) { return position[edge.first] < position[edge.second]; };
  const auto satisfied = [&](const auto& clause) { return std::any_of(clause.begin(), clause.end(), holds); };
  return std::all_of(formula.edges.begin(), formula.edges.end(), respected) &&
         std::all_of(formula.clauses.begin(), formula.clauses.end(), satisfied) &&
         std::all_of(assumptions.begin(), assumptions.end(), holds);
}

/// Tries every line and every value of the Booleans.
inline bool has_model(const MadeUpFormula& formula, std::span<const MadeUpLiteral> assumptions) {
  std::vector<std::uint32_t> position(formula.nodes);
  std::iota(position.begin(), position.end(), 0);
  do {
    for (std::uint32_t booleans = 0; booleans < (1u << formula.booleans); ++booleans) {
      if (satisfies(formula, assumptions, position, booleans)) return true;
    }
  } while (std::next_permutation(position.begin(), position.end()));
  return false;
}

}  // namespace treadle
