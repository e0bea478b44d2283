// SPDX-License-Identifier: Apache-2.0
#include "solve/candidate_model.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace treadle {

void CandidateModel::add_variable() {
  values_.push_back(false);
  supported_.resize(supported_.size() + 2, no_clause);
}

void CandidateModel::look_at_all_anew() {
  std::fill(supported_.begin(), supported_.end(), no_clause);
  broken_ = clauses_.given();
}

void CandidateModel::set(Literal literal) {
  const Variable variable = variable_of(literal);
  if (values_[variable] != is_negated(literal)) return;
  values_[variable] = !is_negated(literal);
  changed_.push_back(~literal);
}

bool CandidateModel::holds(Literal literal) const {
  const Variable variable = variable_of(literal);
  if (!orders_.is_order(variable)) return values_[variable] != is_negated(literal);
  const auto pair = orders_.pair_of(literal);
  return graph_.position(pair.first) < graph_.position(pair.second);
}

ClauseRef CandidateModel::find_broken() {
  for (;;) {
    while (!broken_.empty()) {
      const ClauseRef clause = broken_.back();
      if (!find_supporter(clause)) return clause;
      broken_.pop_back();
    }
    if (changed_.empty() && graph_.moved().empty()) return no_clause;
    look_at_changes();
  }
}

bool CandidateModel::find_supporter(ClauseRef clause) {
  for (const Literal literal : clauses_.literals(clause)) {
    if (!holds(literal)) continue;
    clauses_.set_next(clause, supported_[literal.code]);
    supported_[literal.code] = clause;
    return true;
  }
  return false;
}

void CandidateModel::look_at_changes() {
  for (const Literal literal : changed_) leave(literal);
  changed_.clear();
  for (const OrderNode node : graph_.moved()) {
    for (const Variable variable : orders_.variables_of(node)) {
      const Literal literal = literal_of(variable, false);
      leave(holds(literal) ? ~literal : literal);
    }
  }
  graph_.forget_moved();
}

/// The clauses that the literal supported look for another one.
void CandidateModel::leave(Literal literal) {
  if (supported_[literal.code] == no_clause || holds(literal)) return;
  ClauseRef clause = std::exchange(supported_[literal.code], no_clause);
  while (clause != no_clause) {
    const ClauseRef next = clauses_.next(clause);
    if (!find_supporter(clause)) broken_.push_back(clause);
    clause = next;
  }
}

/// Of a clause that does not hold: what is off by itself stays off rather than that something else is turned on for it; then what took part
/// in recent conflicts.
Literal CandidateModel::best_of(ClauseRef broken) const {
  std::optional<Literal> best;
  const auto is_off = [&](Literal literal) { return is_negated(literal) && !orders_.is_order(variable_of(literal)); };
  const auto is_better = [&](Literal a, Literal b) {
    if (is_off(a) != is_off(b)) return is_off(a);
    return activities_.of(variable_of(a)) > activities_.of(variable_of(b));
  };
  for (const Literal literal : clauses_.literals(broken)) {
    if (!trail_.is_open(variable_of(literal))) continue;
    if (!best || is_better(literal, *best)) best = literal;
  }
  check(best.has_value(), "a clause whose literals are all false is a conflict found before");
  return *best;
}

}  // namespace treadle
