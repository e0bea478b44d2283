// SPDX-License-Identifier: Apache-2.0
// The reference: every node is an integer, "a before b" is a < b, and Z3 does the rest. Slow and simple on purpose; it shares with the
// fast solver only what is no search: which pair has which variable, and whether the edges alone make a cycle.
#include <z3++.h>

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "base/check.h"
#include "solve/must_order.h"
#include "solve/order_literals.h"
#include "solve/order_solver.h"

namespace treadle {

namespace {

class Z3Solver final : public OrderSolver {
 public:
  OrderNode add_node() override {
    const auto node = static_cast<OrderNode>(times_.size());
    times_.push_back(context_.int_const(("t" + std::to_string(times_.size())).c_str()));
    must_.add_node();
    return node;
  }

  void add_edge(OrderNode a, OrderNode b) override {
    check(a != b && !must_.comes_before(b, a), "edges alone make no cycle");
    must_.add_edge(a, b);
    solver_.add(time(a) < time(b));
  }

  Literal add_literal() override {
    const auto variable = static_cast<Variable>(booleans_.size());
    booleans_.push_back(context_.bool_const(("b" + std::to_string(variable)).c_str()));
    return literal_of(variable, false);
  }

  Literal before(OrderNode a, OrderNode b) override {
    check(a != b, "a node is not asked to come before itself");
    if (const auto known = orders_.find(a, b)) return *known;
    const Literal literal = orders_.add(a, b, variable_of(add_literal()));
    solver_.add(z3::implies(expression(literal), time(a) < time(b)));
    solver_.add(z3::implies(expression(~literal), time(b) < time(a)));
    return literal;
  }

  void add_clause(std::span<const Literal> clause) override { solver_.add(z3::mk_or(expressions(clause))); }

  Answer solve(std::span<const Literal> assumptions, const SolveLimit& limit) override;

  bool holds(Literal literal) const override {
    check(model_.has_value(), "a model is asked for after Yes only");
    return model_->eval(expression(literal), true).is_true();
  }

  std::uint32_t position(OrderNode node) const override {
    check(model_.has_value(), "an order is asked for after Yes only");
    return positions_[static_cast<std::uint32_t>(node)];
  }

  std::vector<Literal> core() const override { return core_; }

 private:
  const z3::expr& time(OrderNode node) const { return times_[static_cast<std::uint32_t>(node)]; }

  z3::expr expression(Literal literal) const {
    const z3::expr& variable = booleans_[variable_of(literal)];
    return is_negated(literal) ? !variable : variable;
  }

  z3::expr_vector expressions(std::span<const Literal> literals) {
    z3::expr_vector all(context_);
    for (const Literal literal : literals) all.push_back(expression(literal));
    return all;
  }

  void draw_line();

  z3::context context_;
  z3::solver solver_{context_, z3::solver::simple()};
  std::vector<z3::expr> times_;
  std::vector<z3::expr> booleans_;
  MustOrder must_;
  OrderLiterals orders_;

  std::optional<z3::model> model_;
  std::vector<std::uint32_t> positions_;
  std::vector<Literal> core_;
};

Answer Z3Solver::solve(std::span<const Literal> assumptions, const SolveLimit& limit) {
  model_.reset();
  core_.clear();
  const double milliseconds = std::min(limit.seconds * 1000, 4e9);
  if (milliseconds < 1) return Answer::Unknown;  // 0 means no limit to Z3
  solver_.set("timeout", static_cast<unsigned>(milliseconds));
  const z3::check_result result = solver_.check(expressions(assumptions));
  if (result == z3::unknown) return Answer::Unknown;
  if (result == z3::sat) {
    model_ = solver_.get_model();
    draw_line();
    return Answer::Yes;
  }
  std::unordered_set<unsigned> blamed;
  for (const z3::expr& expression : solver_.unsat_core()) blamed.insert(expression.id());
  for (const Literal assumed : assumptions) {
    if (blamed.erase(expression(assumed).id()) > 0) core_.push_back(assumed);
  }
  return Answer::No;
}

/// Nodes that nothing orders may have got the same integer.
void Z3Solver::draw_line() {
  std::vector<std::int64_t> values;
  for (const z3::expr& time : times_) values.push_back(model_->eval(time, true).get_numeral_int64());
  std::vector<std::uint32_t> line(values.size());
  std::iota(line.begin(), line.end(), 0);
  std::sort(line.begin(), line.end(), [&](std::uint32_t a, std::uint32_t b) { return std::pair(values[a], a) < std::pair(values[b], b); });
  positions_.resize(line.size());
  for (std::uint32_t position = 0; position < line.size(); ++position) positions_[line[position]] = position;
}

}  // namespace

std::unique_ptr<OrderSolver> make_z3_solver() { return std::make_unique<Z3Solver>(); }

}  // namespace treadle
