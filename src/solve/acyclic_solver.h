// SPDX-License-Identifier: Apache-2.0
// The fast solver: conflict-driven clause learning in the manner of MiniSat (Eén and Sörensson, 2003), with the order as its theory.
//
// A true order literal is an edge of a graph that is kept free of cycles; an edge that would close one makes the literals of the cycle a
// conflict, from which the search learns as from a clause. No clause about order (antisymmetry, transitivity) is ever written down.
//
// Nothing is decided for its own sake: the search repairs a candidate model (candidate_model.h) until no clause is broken. Its order starts
// as the order in which the nodes were added: add them in the order of the observed trace, and a question starts from what really happened.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "solve/activities.h"
#include "solve/candidate_model.h"
#include "solve/clause_database.h"
#include "solve/conflict_analysis.h"
#include "solve/must_order.h"
#include "solve/order_graph.h"
#include "solve/order_literals.h"
#include "solve/order_solver.h"
#include "solve/propagation.h"
#include "solve/trail.h"

namespace treadle {

class AcyclicSolver final : public OrderSolver {
 public:
  /// `learnt_limit`: learnt clauses after which half of them go for the first time. Small in tests only.
  explicit AcyclicSolver(std::size_t learnt_limit = 4000);

  OrderNode add_node() override;
  void add_edge(OrderNode a, OrderNode b) override;
  Literal add_literal() override;
  void suggest(Literal literal, bool value) override { candidate_.suggest(literal, value); }
  bool is_suggested(Literal literal) const override { return candidate_.holds(literal); }
  Literal before(OrderNode a, OrderNode b) override;
  void add_clause(std::span<const Literal> clause) override;
  void begin_with(std::span<const Literal> literals, std::span<const OrderNode> line) override;
  Answer solve(std::span<const Literal> assumptions, const SolveLimit& limit) override;
  bool holds(Literal literal) const override;
  std::uint32_t position(OrderNode node) const override;
  std::vector<Literal> core() const override;

 private:
  using Clock = std::chrono::steady_clock;
  enum class Step : std::uint8_t { Continue, Yes, No };

  Variable add_variable();
  void start_changing();

  Step step(std::span<const Literal> assumptions);
  Step decide(std::span<const Literal> assumptions);
  bool find_conflict();
  bool order_conflict();
  Step learn();
  void back_to(std::uint32_t level);
  void restart(std::uint32_t assumptions);
  void forget_clauses();
  bool is_late();

  ClauseDatabase clauses_;
  Trail trail_;
  Activities activities_;
  Propagation propagation_{clauses_, trail_};
  ConflictAnalysis analysis_{clauses_, trail_, activities_};

  OrderGraph graph_;
  MustOrder must_;
  OrderLiterals orders_;
  CandidateModel candidate_{clauses_, trail_, activities_, graph_, orders_};
  std::uint32_t next_order_ = 0;  // of the trail: what stands before it is in the graph and in the candidate

  Literal truth_;  // what pairs decided by the edges get
  bool contradiction_ = false;

  std::vector<Literal> conflict_;
  ClauseRef conflict_clause_ = no_clause;
  std::vector<Literal> scratch_;

  std::uint64_t conflicts_until_restart_ = 0;
  std::uint32_t restarts_ = 0;
  std::size_t learnt_limit_;
  Clock::time_point deadline_;
  std::uint64_t next_look_at_clock_ = 0;

  Answer answer_ = Answer::Unknown;
  std::vector<Literal> core_;
};

}  // namespace treadle
