// SPDX-License-Identifier: Apache-2.0
#include "solve/conflict_analysis.h"

#include <algorithm>

namespace treadle {

namespace {

constexpr Literal none{0xffffffff};

/// Reasons are followed this deep when a literal is tried for removal; deeper ones are kept, which is only less short.
constexpr std::uint32_t deepest = 500;

}  // namespace

const Lesson& ConflictAnalysis::learn_from(std::span<const Literal> conflict, ClauseRef source) {
  lesson_.clause.assign(1, none);
  open_ = 0;
  if (source != no_clause) credit(source);
  take(conflict, none);
  Literal resolved = none;
  for (std::uint32_t index = trail_.size();;) {
    while (!seen_[variable_of(trail_[--index])]) {
    }
    resolved = trail_[index];
    if (--open_ == 0) break;
    const ClauseRef reason = trail_.reason_of(variable_of(resolved));
    credit(reason);
    take(clauses_.literals(reason), resolved);
  }
  lesson_.clause[0] = ~resolved;
  minimise();
  for (const Variable variable : to_clear_) {
    seen_[variable] = false;
    removable_[variable] = Removable::Unknown;
  }
  to_clear_.clear();
  lesson_.glue = glue_of(lesson_.clause);
  put_second_highest_level_second();
  return lesson_;
}

void ConflictAnalysis::take(std::span<const Literal> literals, Literal except) {
  for (const Literal literal : literals) {
    const Variable variable = variable_of(literal);
    if (literal == except || seen_[variable] || trail_.level_of(variable) == 0) continue;
    seen_[variable] = true;
    to_clear_.push_back(variable);
    activities_.bump(variable);
    if (trail_.level_of(variable) == trail_.level()) {
      ++open_;
    } else {
      lesson_.clause.push_back(literal);
    }
  }
}

/// A clause that is used is worth keeping, and may be worth more than when it was learnt.
void ConflictAnalysis::credit(ClauseRef clause) {
  if (!clauses_.is_learnt(clause)) return;
  clauses_.bump(clause);
  if (clauses_.glue(clause) <= 2) return;
  const std::uint32_t glue = glue_of(clauses_.literals(clause));
  if (glue < clauses_.glue(clause)) clauses_.lower_glue(clause, glue);
}

void ConflictAnalysis::minimise() {
  auto& clause = lesson_.clause;
  const auto redundant = [&](Literal literal) {
    return trail_.reason_of(variable_of(literal)) != no_clause && follows_from_rest(literal, 0);
  };
  clause.erase(std::remove_if(clause.begin() + 1, clause.end(), redundant), clause.end());
}

/// Is the literal false because of others of the clause alone? Then it can be left out.
bool ConflictAnalysis::follows_from_rest(Literal literal, std::uint32_t depth) {
  const Variable variable = variable_of(literal);
  const ClauseRef reason = trail_.reason_of(variable);
  if (reason == no_clause || depth > deepest) return false;
  for (const Literal cause : clauses_.literals(reason)) {
    const Variable by = variable_of(cause);
    if (by == variable || seen_[by] || trail_.level_of(by) == 0 || removable_[by] == Removable::Yes) continue;
    if (removable_[by] == Removable::No) return false;
    const bool follows = follows_from_rest(cause, depth + 1);
    removable_[by] = follows ? Removable::Yes : Removable::No;
    to_clear_.push_back(by);
    if (!follows) return false;
  }
  return true;
}

std::uint32_t ConflictAnalysis::glue_of(std::span<const Literal> literals) {
  ++stamp_;
  std::uint32_t levels = 0;
  for (const Literal literal : literals) {
    const std::uint32_t level = trail_.level_of(variable_of(literal));
    if (level_stamps_.size() <= level) level_stamps_.resize(level + 1, 0);
    if (level_stamps_[level] == stamp_) continue;
    level_stamps_[level] = stamp_;
    ++levels;
  }
  return levels;
}

void ConflictAnalysis::put_second_highest_level_second() {
  auto& clause = lesson_.clause;
  lesson_.level = 0;
  if (clause.size() == 1) return;
  const auto highest = std::max_element(clause.begin() + 1, clause.end(), [&](Literal a, Literal b) {
    return trail_.level_of(variable_of(a)) < trail_.level_of(variable_of(b));
  });
  std::iter_swap(clause.begin() + 1, highest);
  lesson_.level = trail_.level_of(variable_of(clause[1]));
}

std::vector<Literal> ConflictAnalysis::decisions_against(Literal literal) {
  std::vector<Literal> decisions{literal};
  seen_[variable_of(literal)] = true;
  const std::uint32_t first = trail_.level() == 0 ? trail_.size() : trail_.start_of_level(1);
  for (std::uint32_t index = trail_.size(); index-- > first;) {
    const Literal assigned = trail_[index];
    const Variable variable = variable_of(assigned);
    if (!seen_[variable]) continue;
    seen_[variable] = false;
    const ClauseRef reason = trail_.reason_of(variable);
    if (reason == no_clause) {
      decisions.push_back(assigned);
      continue;
    }
    for (const Literal cause : clauses_.literals(reason)) {
      if (cause != assigned && trail_.level_of(variable_of(cause)) > 0) seen_[variable_of(cause)] = true;
    }
  }
  seen_[variable_of(literal)] = false;
  return decisions;
}

}  // namespace treadle
