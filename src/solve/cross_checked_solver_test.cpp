// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "solve/acyclic_solver.h"
#include "solve/made_up_formula.h"
#include "solve/order_solver.h"

namespace treadle {
namespace {

constexpr SolveLimit plenty{60};

std::unique_ptr<OrderSolver> both() { return make_cross_checked_solver(make_acyclic_solver(), make_z3_solver()); }

TEST(CrossCheckedSolver, AgreesWithTryingEverythingOnSmallFormulas) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    MadeUpFormulas made(seed);
    const MadeUpFormula formula = made.formula(1 + made.below(4), 1 + made.below(3), made.below(4), made.below(12));
    const auto solver = both();
    HandedOver handed(*solver);
    handed.all_of(formula);
    for (int question = 0; question < 3; ++question) {
      const auto assumptions = made.literals(formula, made.below(4));
      const Answer answer = solver->solve(handed.literals(assumptions), plenty);
      ASSERT_EQ(answer, has_model(formula, assumptions) ? Answer::Yes : Answer::No);
    }
  }
}

/// Near the ratio of clauses to literals where either answer is likely.
TEST(CrossCheckedSolver, FindsNoDisagreementOnLargerFormulas) {
  int yes = 0;
  int no = 0;
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(seed);
    MadeUpFormulas made(seed);
    const std::uint32_t nodes = 8 + made.below(30);
    const MadeUpFormula formula = made.formula(nodes, 10, nodes / 2, 0);
    const auto solver = both();
    HandedOver handed(*solver);
    handed.all_of(formula);
    for (std::uint32_t clause = 0; clause < 8 * nodes; ++clause) {
      handed.clause(made.literals(formula, 3));
      if (made.below(20) != 0) continue;
      const Answer answer = solver->solve(handed.literals(made.literals(formula, made.below(16))), plenty);
      ++(answer == Answer::Yes ? yes : no);
      if (answer == Answer::No && solver->core().empty()) break;
    }
  }
  EXPECT_GT(yes, 40);
  EXPECT_GT(no, 40);
}

/// Learnt clauses go all the time here, and come back.
TEST(CrossCheckedSolver, FindsNoDisagreementWhenLearntClausesAreForgotten) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    MadeUpFormulas made(seed);
    const MadeUpFormula formula = made.formula(20, 30, 15, 0);
    const auto solver = make_cross_checked_solver(std::make_unique<AcyclicSolver>(8), make_z3_solver());
    HandedOver handed(*solver);
    handed.all_of(formula);
    for (int clause = 0; clause < 160; ++clause) handed.clause(made.literals(formula, 3));
    for (int question = 0; question < 20; ++question) {
      handed.clause(made.literals(formula, 3));
      const Answer answer = solver->solve(handed.literals(made.literals(formula, made.below(4))), plenty);
      if (answer == Answer::No && solver->core().empty()) break;
    }
  }
}

/// Says Yes to everything and lines the nodes up as they came.
class Flatterer final : public OrderSolver {
 public:
  OrderNode add_node() override { return static_cast<OrderNode>(nodes_++); }
  void add_edge(OrderNode, OrderNode) override {}
  Literal add_literal() override { return {2 * literals_++}; }
  Literal before(OrderNode a, OrderNode b) override { return a < b ? Literal{0} : Literal{1}; }
  void add_clause(std::span<const Literal>) override {}
  Answer solve(std::span<const Literal>, const SolveLimit&) override { return Answer::Yes; }
  bool holds(Literal literal) const override { return literal.code % 2 == 0; }
  std::uint32_t position(OrderNode node) const override { return static_cast<std::uint32_t>(node); }
  std::vector<Literal> core() const override { return {}; }

 private:
  std::uint32_t nodes_ = 0;
  std::uint32_t literals_ = 1;
};

TEST(CrossCheckedSolverDeathTest, CatchesAModelThatIsNone) {
  const auto solver = make_cross_checked_solver(std::make_unique<Flatterer>(), make_acyclic_solver());
  const OrderNode a = solver->add_node();
  const OrderNode b = solver->add_node();
  solver->add_edge(b, a);
  EXPECT_EXIT(solver->solve({}, plenty), testing::ExitedWithCode(3), "respects the edges");
}

TEST(CrossCheckedSolverDeathTest, CatchesAWrongAnswer) {
  const auto solver = make_cross_checked_solver(std::make_unique<Flatterer>(), make_acyclic_solver());
  const Literal ab = solver->before(solver->add_node(), solver->add_node());
  solver->add_clause(std::vector{~ab});
  EXPECT_EXIT(solver->solve(std::vector{ab}, plenty), testing::ExitedWithCode(3), "satisfies every clause");
}

TEST(CrossCheckedSolver, TakesTheAnswerOfTheOneThatKnows) {
  const auto solver = both();
  const Literal literal = solver->add_literal();
  EXPECT_EQ(solver->solve(std::vector{literal}, SolveLimit{0}), Answer::Unknown);
  EXPECT_EQ(solver->solve(std::vector{literal}, plenty), Answer::Yes);
  EXPECT_TRUE(solver->holds(literal));
}

}  // namespace
}  // namespace treadle
