// SPDX-License-Identifier: Apache-2.0
// Two solvers asked the same, and neither believed: answers must agree, a model must satisfy the formula as it was given, and what one
// blames for a No must be refused by the other too.
#include <algorithm>

#include "base/check.h"
#include "solve/order_literals.h"
#include "solve/order_solver.h"

namespace treadle {

namespace {

/// One of the two, speaking our numbers of literals; the numbers of nodes are the same everywhere.
class Witness {
 public:
  explicit Witness(std::unique_ptr<OrderSolver> solver) : solver_(std::move(solver)) {}

  OrderSolver& solver() { return *solver_; }
  void know(Literal theirs) { theirs_.push_back(theirs); }

  std::vector<Literal> translate(std::span<const Literal> ours) const {
    std::vector<Literal> all;
    for (const Literal literal : ours) all.push_back(translate(literal));
    return all;
  }
  Literal translate(Literal ours) const {
    const Literal theirs = theirs_[variable_of(ours)];
    return is_negated(ours) ? ~theirs : theirs;
  }

  /// Which of `assumptions` it blames.
  std::vector<Literal> core(std::span<const Literal> assumptions) const {
    std::vector<Literal> blamed;
    for (const Literal theirs : solver_->core()) {
      const auto is_it = [&](Literal ours) { return translate(ours) == theirs; };
      const auto found = std::find_if(assumptions.begin(), assumptions.end(), is_it);
      check(found != assumptions.end(), "only assumptions are blamed");
      blamed.push_back(*found);
    }
    return blamed;
  }

 private:
  std::unique_ptr<OrderSolver> solver_;
  std::vector<Literal> theirs_;  // by our variable
};

struct Model {
  std::vector<bool> values;  // by our variable
  std::vector<std::uint32_t> positions;

  bool holds(Literal literal) const { return values[variable_of(literal)] != is_negated(literal); }
  bool is_before(OrderNode a, OrderNode b) const {
    return positions[static_cast<std::uint32_t>(a)] < positions[static_cast<std::uint32_t>(b)];
  }
};

struct Testimony {
  Answer answer = Answer::Unknown;
  Model model;
  std::vector<Literal> core;
};

class CrossCheckedSolver final : public OrderSolver {
 public:
  CrossCheckedSolver(std::unique_ptr<OrderSolver> one, std::unique_ptr<OrderSolver> other)
      : one_(std::move(one)), other_(std::move(other)) {}

  OrderNode add_node() override {
    const OrderNode node = one_.solver().add_node();
    check(node == other_.solver().add_node() && node == static_cast<OrderNode>(nodes_), "nodes are numbered from 0");
    ++nodes_;
    return node;
  }

  void add_edge(OrderNode a, OrderNode b) override {
    one_.solver().add_edge(a, b);
    other_.solver().add_edge(a, b);
    edges_.push_back({a, b});
  }

  Literal add_literal() override {
    one_.know(one_.solver().add_literal());
    other_.know(other_.solver().add_literal());
    return literal_of(variables_++, false);
  }

  Literal before(OrderNode a, OrderNode b) override;

  void add_clause(std::span<const Literal> clause) override {
    one_.solver().add_clause(one_.translate(clause));
    other_.solver().add_clause(other_.translate(clause));
    clauses_.emplace_back(clause.begin(), clause.end());
  }

  Answer solve(std::span<const Literal> assumptions, const SolveLimit& limit) override;

  bool holds(Literal literal) const override { return believed_.model.holds(literal); }
  std::uint32_t position(OrderNode node) const override { return believed_.model.positions[static_cast<std::uint32_t>(node)]; }
  std::vector<Literal> core() const override { return believed_.core; }

 private:
  Testimony ask(Witness& witness, std::span<const Literal> assumptions, const SolveLimit& limit);
  Model model_of(Witness& witness) const;
  void verify(const Model& model, std::span<const Literal> assumptions) const;
  void refute(Witness& witness, std::span<const Literal> core, const SolveLimit& limit);

  Witness one_;
  Witness other_;

  std::uint32_t nodes_ = 0;
  Variable variables_ = 0;
  OrderLiterals orders_;
  std::vector<OrderLiterals::Pair> edges_;
  std::vector<std::vector<Literal>> clauses_;

  Testimony believed_;
};

Literal CrossCheckedSolver::before(OrderNode a, OrderNode b) {
  const Literal one = one_.solver().before(a, b);
  const Literal other = other_.solver().before(a, b);
  check(one_.solver().before(b, a) == ~one && other_.solver().before(b, a) == ~other, "the opposite order is the opposite literal");
  if (const auto known = orders_.find(a, b)) {
    check(one_.translate(*known) == one && other_.translate(*known) == other, "a pair keeps its literal");
    return *known;
  }
  const Literal literal = orders_.add(a, b, variables_++);
  one_.know(is_negated(literal) ? ~one : one);
  other_.know(is_negated(literal) ? ~other : other);
  return literal;
}

Answer CrossCheckedSolver::solve(std::span<const Literal> assumptions, const SolveLimit& limit) {
  Testimony first = ask(one_, assumptions, limit);
  Testimony second = ask(other_, assumptions, limit);
  const bool agree = first.answer == second.answer || first.answer == Answer::Unknown || second.answer == Answer::Unknown;
  check(agree, "two solvers give the same answer");
  if (first.answer == Answer::No) refute(other_, first.core, limit);
  if (second.answer == Answer::No) refute(one_, second.core, limit);
  believed_ = std::move(first.answer == Answer::Unknown ? second : first);
  return believed_.answer;
}

Testimony CrossCheckedSolver::ask(Witness& witness, std::span<const Literal> assumptions, const SolveLimit& limit) {
  Testimony testimony;
  testimony.answer = witness.solver().solve(witness.translate(assumptions), limit);
  if (testimony.answer == Answer::Yes) {
    testimony.model = model_of(witness);
    verify(testimony.model, assumptions);
  } else if (testimony.answer == Answer::No) {
    testimony.core = witness.core(assumptions);
  }
  return testimony;
}

Model CrossCheckedSolver::model_of(Witness& witness) const {
  Model model;
  for (Variable variable = 0; variable < variables_; ++variable) {
    model.values.push_back(witness.solver().holds(witness.translate(literal_of(variable, false))));
  }
  for (std::uint32_t node = 0; node < nodes_; ++node) model.positions.push_back(witness.solver().position(static_cast<OrderNode>(node)));
  return model;
}

void CrossCheckedSolver::verify(const Model& model, std::span<const Literal> assumptions) const {
  const auto holds = [&](Literal literal) { return model.holds(literal); };
  const auto is_satisfied = [&](const auto& clause) { return std::any_of(clause.begin(), clause.end(), holds); };
  const auto is_respected = [&](const auto& edge) { return model.is_before(edge.first, edge.second); };
  check(std::all_of(assumptions.begin(), assumptions.end(), holds), "a model satisfies the assumptions");
  check(std::all_of(clauses_.begin(), clauses_.end(), is_satisfied), "a model satisfies every clause");
  check(std::all_of(edges_.begin(), edges_.end(), is_respected), "a model's order respects the edges");
  for (Variable variable = 0; variable < variables_; ++variable) {
    if (!orders_.is_order(variable)) continue;
    const auto pair = orders_.pair_of(literal_of(variable, false));
    check(model.values[variable] == model.is_before(pair.first, pair.second), "a model's order agrees with its literals");
  }
  std::vector<std::uint32_t> positions = model.positions;
  std::sort(positions.begin(), positions.end());
  check(std::adjacent_find(positions.begin(), positions.end()) == positions.end(), "no two nodes have the same position");
}

void CrossCheckedSolver::refute(Witness& witness, std::span<const Literal> core, const SolveLimit& limit) {
  check(witness.solver().solve(witness.translate(core), limit) != Answer::Yes, "what one solver blames is refused by the other");
}

}  // namespace

std::unique_ptr<OrderSolver> make_cross_checked_solver(std::unique_ptr<OrderSolver> one, std::unique_ptr<OrderSolver> other) {
  return std::make_unique<CrossCheckedSolver>(std::move(one), std::move(other));
}

}  // namespace treadle
