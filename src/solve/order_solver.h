// SPDX-License-Identifier: Apache-2.0
// What all questions come down to: a propositional formula some of whose literals say which of two events comes first, and a total order
// of the events that agrees with them.
//
// Order is no arithmetic here. "a before b" is a literal (its negation is "b before a"), made only for pairs that matter; what is known
// beforehand is a plain edge and no literal. A model is accepted when the edges and the true order literals together have no cycle, so that
// they can be drawn as one line (position()).
//
// Questions on one formula are assumptions: the formula, and whatever was learned from it, stays.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace treadle {

/// An event of the formula, numbered from 0.
enum class OrderNode : std::uint32_t {};

/// A Boolean or its negation; ~ negates.
struct Literal {
  std::uint32_t code = 0;  // variable * 2 + (negated ? 1 : 0)
  Literal operator~() const { return {code ^ 1}; }
  bool operator==(const Literal&) const = default;
};

enum class Answer : std::uint8_t { Yes, No, Unknown };

struct SolveLimit {
  double seconds = 10;
};

class OrderSolver {
 public:
  virtual ~OrderSolver() = default;

  virtual OrderNode add_node() = 0;

  /// a comes before b in every order. Edges alone never make a cycle: check()ed.
  virtual void add_edge(OrderNode a, OrderNode b) = 0;

  virtual Literal add_literal() = 0;

  /// How it would be if nothing were asked: an answer may be near. Of a literal that is new, before any clause has it.
  virtual void suggest(Literal, bool) {}
  virtual bool is_suggested(Literal) const { return false; }

  /// True: a comes before b; false: b comes before a. before(b, a) is ~before(a, b). Asked twice for the same pair, it is the same literal.
  /// A pair that the edges decide gets a literal too, with its value fixed.
  virtual Literal before(OrderNode a, OrderNode b) = 0;

  /// At least one of them holds. The empty clause makes every answer No.
  virtual void add_clause(std::span<const Literal> clause) = 0;

  /// Where the next search had better begin: these hold, and all nodes stand in this order, if nothing is known against it. It changes no
  /// answer.
  virtual void begin_with(std::span<const Literal>, std::span<const OrderNode>) {}

  /// Is there a model in which all of these hold? Unknown: the limit was reached; it says nothing.
  virtual Answer solve(std::span<const Literal> assumptions, const SolveLimit& limit) = 0;

  /// After Yes, until anything is added or asked.
  virtual bool holds(Literal literal) const = 0;

  /// After Yes: where the node stands in one total order that agrees with the model; all positions differ.
  virtual std::uint32_t position(OrderNode node) const = 0;

  /// After No: assumptions that cannot hold together (a subset of those given; empty: nothing can).
  virtual std::vector<Literal> core() const = 0;
};

/// The fast one: conflict-driven search with the order as its theory.
std::unique_ptr<OrderSolver> make_acyclic_solver();

/// The reference: Z3, orders as integers.
std::unique_ptr<OrderSolver> make_z3_solver();

/// Asks both and stops (check()) where they disagree, or where a model of one is none of the formula. For tests, and for doubts.
std::unique_ptr<OrderSolver> make_cross_checked_solver(std::unique_ptr<OrderSolver> one, std::unique_ptr<OrderSolver> other);

}  // namespace treadle
