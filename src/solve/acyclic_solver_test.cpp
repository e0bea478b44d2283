// SPDX-License-Identifier: Apache-2.0
#include "solve/acyclic_solver.h"

#include <gtest/gtest.h>

#include "solve/made_up_formula.h"

namespace treadle {
namespace {

constexpr SolveLimit plenty{60};

/// Asks, and holds the answer, its model or its core against trying everything.
void expect_right_answer(OrderSolver& solver, HandedOver& handed, const MadeUpFormula& formula,
                         const std::vector<MadeUpLiteral>& assumptions) {
  const std::vector<Literal> assumed = handed.literals(assumptions);
  const Answer answer = solver.solve(assumed, plenty);
  ASSERT_EQ(answer, has_model(formula, assumptions) ? Answer::Yes : Answer::No);
  if (answer == Answer::Yes) {
    std::vector<std::uint32_t> position;
    for (const OrderNode node : handed.nodes) position.push_back(solver.position(node));
    std::uint32_t booleans = 0;
    for (std::size_t i = 0; i < handed.booleans.size(); ++i) booleans |= (solver.holds(handed.booleans[i]) ? 1u : 0u) << i;
    ASSERT_TRUE(satisfies(formula, assumptions, position, booleans));
    std::sort(position.begin(), position.end());
    ASSERT_EQ(std::adjacent_find(position.begin(), position.end()), position.end());
    for (const Literal literal : assumed) ASSERT_TRUE(solver.holds(literal));
    return;
  }
  std::vector<MadeUpLiteral> blamed;
  for (const Literal literal : solver.core()) {
    const auto found = std::find(assumed.begin(), assumed.end(), literal);
    ASSERT_NE(found, assumed.end());
    blamed.push_back(assumptions[static_cast<std::size_t>(found - assumed.begin())]);
  }
  ASSERT_FALSE(has_model(formula, blamed));
}

TEST(AcyclicSolver, AgreesWithTryingEverythingOnSmallFormulas) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    MadeUpFormulas made(seed);
    const std::uint32_t nodes = 1 + made.below(5);
    const MadeUpFormula formula = made.formula(nodes, 1 + made.below(3), made.below(4), made.below(14));
    AcyclicSolver solver;
    HandedOver handed(solver);
    handed.all_of(formula);
    for (int question = 0; question < 4; ++question) {
      expect_right_answer(solver, handed, formula, made.literals(formula, made.below(4)));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(AcyclicSolver, AnswersRightlyWhileTheFormulaGrows) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    MadeUpFormulas made(seed);
    const MadeUpFormula whole = made.formula(5, 2, 6, 16);
    MadeUpFormula known;
    AcyclicSolver solver;
    HandedOver handed(solver);
    std::size_t edges = 0;
    std::size_t clauses = 0;
    while (edges < whole.edges.size() || clauses < whole.clauses.size()) {
      const bool is_edge = clauses == whole.clauses.size() || (edges < whole.edges.size() && made.below(3) == 0);
      const auto need_node = [&](std::uint32_t node) { known.nodes = std::max(known.nodes, node + 1); };
      const auto need = [&](const MadeUpLiteral& literal) {
        if (!literal.is_order()) known.booleans = std::max(known.booleans, literal.first + 1);
        if (literal.is_order()) need_node(std::max(literal.first, literal.second));
      };
      if (is_edge) {
        need_node(std::max(whole.edges[edges].first, whole.edges[edges].second));
        known.edges.push_back(whole.edges[edges++]);
      } else {
        for (const MadeUpLiteral& literal : whole.clauses[clauses]) need(literal);
        known.clauses.push_back(whole.clauses[clauses++]);
      }
      handed.nodes_up_to(known.nodes);
      handed.booleans_up_to(known.booleans);
      if (is_edge) handed.edge(known.edges.back());
      if (!is_edge) handed.clause(known.clauses.back());
      if (known.nodes + known.booleans == 0 || (known.nodes < 2 && known.booleans == 0) || made.below(2) == 0) continue;
      expect_right_answer(solver, handed, known, made.literals(known, made.below(3)));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(AcyclicSolver, GivesAPairOneLiteralAndItsOpposite) {
  AcyclicSolver solver;
  const OrderNode a = solver.add_node();
  const OrderNode b = solver.add_node();
  const Literal ab = solver.before(a, b);
  EXPECT_EQ(solver.before(a, b), ab);
  EXPECT_EQ(solver.before(b, a), ~ab);
}

TEST(AcyclicSolver, FixesPairsThatTheEdgesDecide) {
  AcyclicSolver solver;
  const OrderNode a = solver.add_node();
  const OrderNode b = solver.add_node();
  const OrderNode c = solver.add_node();
  solver.add_edge(c, b);
  solver.add_edge(b, a);
  const Literal late = solver.before(a, c);
  EXPECT_EQ(solver.solve(std::vector{late}, plenty), Answer::No);
  EXPECT_EQ(solver.core(), std::vector{late});
  EXPECT_EQ(solver.solve(std::vector{~late}, plenty), Answer::Yes);
  EXPECT_LT(solver.position(c), solver.position(a));
}

TEST(AcyclicSolver, SaysNoToEverythingAfterTheEmptyClause) {
  AcyclicSolver solver;
  const Literal literal = solver.add_literal();
  EXPECT_EQ(solver.solve({}, plenty), Answer::Yes);
  solver.add_clause({});
  EXPECT_EQ(solver.solve(std::vector{literal}, plenty), Answer::No);
  EXPECT_TRUE(solver.core().empty());
}

TEST(AcyclicSolver, BlamesOnlyWhatContradicts) {
  AcyclicSolver solver;
  const Literal aside = solver.add_literal();
  const Literal a = solver.add_literal();
  const Literal b = solver.add_literal();
  const Literal c = solver.add_literal();
  solver.add_clause(std::vector{~a, b});
  EXPECT_EQ(solver.solve(std::vector{aside, a, c, ~b}, plenty), Answer::No);
  std::vector<Literal> core = solver.core();
  std::sort(core.begin(), core.end(), [](Literal x, Literal y) { return x.code < y.code; });
  EXPECT_EQ(core, (std::vector{a, ~b}));
  EXPECT_EQ(solver.solve(std::vector{a, ~a}, plenty), Answer::No);
}

TEST(AcyclicSolver, SaysUnknownWhenTimeIsUpAndGoesOnLater) {
  AcyclicSolver solver;
  const Literal literal = solver.add_literal();
  EXPECT_EQ(solver.solve(std::vector{literal}, SolveLimit{0}), Answer::Unknown);
  EXPECT_EQ(solver.solve(std::vector{literal}, plenty), Answer::Yes);
}

TEST(AcyclicSolverDeathTest, StopsWhenEdgesAloneMakeACycle) {
  AcyclicSolver solver;
  const OrderNode a = solver.add_node();
  const OrderNode b = solver.add_node();
  solver.add_edge(a, b);
  EXPECT_EXIT(solver.add_edge(b, a), testing::ExitedWithCode(3), "edges alone make no cycle");
}

}  // namespace
}  // namespace treadle
