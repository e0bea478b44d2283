// SPDX-License-Identifier: Apache-2.0
#include "solve/acyclic_solver.h"

#include <algorithm>

#include "base/check.h"

namespace treadle {

namespace {

constexpr std::uint64_t restart_unit = 64;
constexpr std::uint64_t steps_between_looks_at_clock = 20000;
constexpr double longest_limit = 1e6;  // seconds; more does not fit into a time point

/// 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 … (Luby, Sinclair and Zuckerman): the term of this number, from 1.
std::uint64_t luby(std::uint32_t number) {
  for (;;) {
    std::uint32_t length = 1;
    while (length < number) length = 2 * length + 1;
    if (length == number) return (length + 1) / 2;
    number -= length / 2;
  }
}

}  // namespace

std::unique_ptr<OrderSolver> make_acyclic_solver() { return std::make_unique<AcyclicSolver>(); }

AcyclicSolver::AcyclicSolver(std::size_t learnt_limit) : learnt_limit_(learnt_limit) {
  truth_ = literal_of(add_variable(), false);
  trail_.assign(truth_, no_clause);
}

Variable AcyclicSolver::add_variable() {
  const Variable variable = trail_.add_variable();
  activities_.add_variable();
  propagation_.add_variable();
  analysis_.add_variable();
  candidate_.add_variable();
  return variable;
}

/// Whatever is added is added at level 0, and ends the life of the last answer.
void AcyclicSolver::start_changing() {
  back_to(0);
  answer_ = Answer::Unknown;
  core_.clear();
}

OrderNode AcyclicSolver::add_node() {
  start_changing();
  must_.add_node();
  return graph_.add_node();
}

void AcyclicSolver::add_edge(OrderNode a, OrderNode b) {
  start_changing();
  check(a != b && !must_.comes_before(b, a), "edges alone make no cycle");
  if (must_.comes_before(a, b)) return;
  must_.add_edge(a, b);
  if (!graph_.insert(a, b, OrderGraph::always)) contradiction_ = true;
}

Literal AcyclicSolver::add_literal() {
  start_changing();
  return literal_of(add_variable(), false);
}

Literal AcyclicSolver::before(OrderNode a, OrderNode b) {
  check(a != b, "a node is not asked to come before itself");
  if (const auto known = orders_.find(a, b)) return *known;
  if (must_.comes_before(a, b)) return truth_;
  if (must_.comes_before(b, a)) return ~truth_;
  start_changing();
  return orders_.add(a, b, add_variable());
}

void AcyclicSolver::add_clause(std::span<const Literal> clause) {
  start_changing();
  scratch_.assign(clause.begin(), clause.end());
  std::sort(scratch_.begin(), scratch_.end(), [](Literal a, Literal b) { return a.code < b.code; });
  scratch_.erase(std::unique(scratch_.begin(), scratch_.end()), scratch_.end());
  const auto opposite = [](Literal a, Literal b) { return a == ~b; };
  if (std::adjacent_find(scratch_.begin(), scratch_.end(), opposite) != scratch_.end()) return;
  if (std::any_of(scratch_.begin(), scratch_.end(), [&](Literal literal) { return trail_.is_true(literal); })) return;
  std::erase_if(scratch_, [&](Literal literal) { return trail_.is_false(literal); });
  if (scratch_.empty()) {
    contradiction_ = true;
  } else if (scratch_.size() == 1) {
    trail_.assign(scratch_.front(), no_clause);
  } else {
    const ClauseRef added = clauses_.add_given(scratch_);
    propagation_.watch(added);
    candidate_.add_clause(added);
  }
}

void AcyclicSolver::begin_with(std::span<const Literal> literals, std::span<const OrderNode> line) {
  start_changing();
  for (const Literal literal : literals)
    if (trail_.is_open(variable_of(literal)) && !orders_.is_order(variable_of(literal))) candidate_.set(literal);
  graph_.line_up(line);
}

bool AcyclicSolver::holds(Literal literal) const {
  check(answer_ == Answer::Yes, "a model is asked for after Yes only");
  return candidate_.holds(literal);
}

std::uint32_t AcyclicSolver::position(OrderNode node) const {
  check(answer_ == Answer::Yes, "an order is asked for after Yes only");
  return graph_.position(node);
}

std::vector<Literal> AcyclicSolver::core() const {
  check(answer_ == Answer::No, "a core is asked for after No only");
  return core_;
}

Answer AcyclicSolver::solve(std::span<const Literal> assumptions, const SolveLimit& limit) {
  start_changing();
  deadline_ =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(limit.seconds, longest_limit)));
  next_look_at_clock_ = 0;
  restarts_ = 0;
  restart(0);
  Step next = Step::Continue;
  while (next == Step::Continue) {
    if (is_late()) {
      start_changing();
      return answer_;
    }
    next = step(assumptions);
  }
  answer_ = next == Step::Yes ? Answer::Yes : Answer::No;
  return answer_;
}

bool AcyclicSolver::is_late() {
  const std::uint64_t steps = propagation_.steps() + graph_.visits();
  if (steps < next_look_at_clock_) return false;
  next_look_at_clock_ = steps + steps_between_looks_at_clock;
  return Clock::now() >= deadline_;
}

AcyclicSolver::Step AcyclicSolver::step(std::span<const Literal> assumptions) {
  if (contradiction_) return Step::No;
  if (find_conflict()) return learn();
  if (conflicts_until_restart_ == 0) restart(static_cast<std::uint32_t>(assumptions.size()));
  return decide(assumptions);
}

/// What the clauses force comes first: it is cheaper, and gives shorter cycles more often than the other way round.
bool AcyclicSolver::find_conflict() {
  for (;;) {
    conflict_clause_ = propagation_.propagate();
    if (conflict_clause_ != no_clause) {
      const auto literals = clauses_.literals(conflict_clause_);
      conflict_.assign(literals.begin(), literals.end());
      return true;
    }
    if (order_conflict()) return true;
    if (next_order_ == trail_.size()) return false;
  }
}

/// Brings the graph up to the trail.
bool AcyclicSolver::order_conflict() {
  for (; next_order_ < trail_.size(); ++next_order_) {
    const Literal literal = trail_[next_order_];
    if (!orders_.is_order(variable_of(literal))) {
      candidate_.set(literal);
      continue;
    }
    const auto pair = orders_.pair_of(literal);
    if (graph_.insert(pair.first, pair.second, trail_.level() == 0 ? OrderGraph::always : literal)) continue;
    conflict_.assign(1, ~literal);
    for (const Literal other : graph_.cycle()) conflict_.push_back(~other);
    return true;
  }
  return false;
}

AcyclicSolver::Step AcyclicSolver::learn() {
  if (trail_.level() == 0) {
    contradiction_ = true;
    return Step::No;
  }
  const Lesson& lesson = analysis_.learn_from(conflict_, conflict_clause_);
  back_to(lesson.level);
  ClauseRef reason = no_clause;
  if (lesson.clause.size() > 1) {
    reason = clauses_.add_learnt(lesson.clause, lesson.glue);
    propagation_.watch(reason);
  }
  trail_.assign(lesson.clause.front(), reason);
  activities_.decay();
  clauses_.decay();
  if (conflicts_until_restart_ > 0) --conflicts_until_restart_;
  return Step::Continue;
}

AcyclicSolver::Step AcyclicSolver::decide(std::span<const Literal> assumptions) {
  while (trail_.level() < assumptions.size()) {
    const Literal assumed = assumptions[trail_.level()];
    if (trail_.is_true(assumed)) {
      trail_.open_level();
    } else if (trail_.is_false(assumed)) {
      core_ = analysis_.decisions_against(assumed);
      return Step::No;
    } else {
      trail_.decide(assumed);
      return Step::Continue;
    }
  }
  const ClauseRef broken = candidate_.find_broken();
  if (broken == no_clause) return Step::Yes;
  trail_.decide(candidate_.best_of(broken));
  return Step::Continue;
}

void AcyclicSolver::back_to(std::uint32_t level) {
  if (level >= trail_.level()) return;
  trail_.back_to(level, [&](Literal literal, std::uint32_t index) {
    if (index >= next_order_ || !orders_.is_order(variable_of(literal))) return;
    const auto pair = orders_.pair_of(literal);
    graph_.remove_last(pair.first, pair.second);
  });
  next_order_ = std::min(next_order_, trail_.size());
  propagation_.went_back(trail_.size());
}

void AcyclicSolver::restart(std::uint32_t assumptions) {
  conflicts_until_restart_ = restart_unit * luby(++restarts_);
  if (clauses_.learnt().size() >= learnt_limit_) {
    back_to(0);
    forget_clauses();
  } else {
    back_to(assumptions);
  }
}

/// Half of the learnt clauses go, those of many levels first, and clauses that hold anyway. At level 0 only: no clause is a reason there.
void AcyclicSolver::forget_clauses() {
  std::vector<ClauseRef> worst;
  for (const ClauseRef clause : clauses_.learnt()) {
    if (clauses_.glue(clause) > 2) worst.push_back(clause);
  }
  std::sort(worst.begin(), worst.end(), [&](ClauseRef a, ClauseRef b) {
    if (clauses_.glue(a) != clauses_.glue(b)) return clauses_.glue(a) > clauses_.glue(b);
    return clauses_.activity(a) < clauses_.activity(b);
  });
  worst.resize(worst.size() / 2);
  std::sort(worst.begin(), worst.end());
  clauses_.compact([&](ClauseRef clause) {
    if (std::binary_search(worst.begin(), worst.end(), clause)) return false;
    const auto literals = clauses_.literals(clause);
    return std::none_of(literals.begin(), literals.end(), [&](Literal literal) { return trail_.is_true(literal); });
  });
  propagation_.watch_all_anew();
  candidate_.look_at_all_anew();
  learnt_limit_ += learnt_limit_ / 10;
}

}  // namespace treadle
