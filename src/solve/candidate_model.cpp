// SPDX-License-Identifier: Apache-2.0
#include "solve/candidate_model.h"

#include <algorithm>

#include "base/check.h"

namespace treadle {

void CandidateModel::add_variable() {
  values_.push_back(false);
  supporters_.resize(supporters_.size() + 2);
}

void CandidateModel::look_at_all_anew() {
  for (auto& list : supporters_) list.clear();
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

std::optional<Literal> CandidateModel::mend() {
  for (;;) {
    while (!broken_.empty()) {
      const ClauseRef clause = broken_.back();
      if (!find_supporter(clause)) return best_of(clause);
      broken_.pop_back();
    }
    if (changed_.empty() && graph_.moved().empty()) return std::nullopt;
    look_at_changes();
  }
}

bool CandidateModel::find_supporter(ClauseRef clause) {
  for (const Literal literal : clauses_.literals(clause)) {
    if (!holds(literal)) continue;
    supporters_[literal.code].push_back(clause);
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
  auto& list = supporters_[literal.code];
  if (list.empty() || holds(literal)) return;
  scratch_.swap(list);
  for (const ClauseRef clause : scratch_) {
    if (!find_supporter(clause)) broken_.push_back(clause);
  }
  scratch_.clear();
  scratch_.swap(list);
}

/// Of a clause that does not hold: what is off by itself stays off rather than that something else is turned on for it; then what took part
/// in recent conflicts.
Literal CandidateModel::best_of(ClauseRef clause) const {
  std::optional<Literal> best;
  const auto is_off = [&](Literal literal) { return is_negated(literal) && !orders_.is_order(variable_of(literal)); };
  const auto is_better = [&](Literal a, Literal b) {
    if (is_off(a) != is_off(b)) return is_off(a);
    return activities_.of(variable_of(a)) > activities_.of(variable_of(b));
  };
  for (const Literal literal : clauses_.literals(clause)) {
    if (!trail_.is_open(variable_of(literal))) continue;
    if (!best || is_better(literal, *best)) best = literal;
  }
  check(best.has_value(), "a clause whose literals are all false is a conflict found before");
  return *best;
}

}  // namespace treadle
