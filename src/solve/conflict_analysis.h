// SPDX-License-Identifier: Apache-2.0
// What a conflict teaches: the clause of its first unique implication point, made smaller; and, when assumptions are to blame, which.
#pragma once

#include <span>
#include <vector>

#include "solve/activities.h"
#include "solve/trail.h"

namespace treadle {

struct Lesson {
  std::vector<Literal> clause;  // the first literal becomes true after going back; the second is of the level gone back to
  std::uint32_t level = 0;      // to go back to
  std::uint32_t glue = 0;
};

class ConflictAnalysis {
 public:
  ConflictAnalysis(ClauseDatabase& clauses, const Trail& trail, Activities& activities)
      : clauses_(clauses), trail_(trail), activities_(activities) {}

  void add_variable() {
    seen_.push_back(false);
    removable_.push_back(Removable::Unknown);
  }

  /// `conflict`: literals that are all false, at least one of them since the last decision. `source`: their clause, if they are one.
  const Lesson& learn_from(std::span<const Literal> conflict, ClauseRef source);

  /// The decisions that together made `literal` false (not at level 0), as they were decided, and `literal` itself.
  std::vector<Literal> decisions_against(Literal literal);

 private:
  enum class Removable : std::uint8_t { Unknown, Yes, No };

  void take(std::span<const Literal> literals, Literal except);
  void credit(ClauseRef clause);
  void minimise();
  bool follows_from_rest(Literal literal, std::uint32_t depth);
  std::uint32_t glue_of(std::span<const Literal> literals);
  void put_second_highest_level_second();

  ClauseDatabase& clauses_;
  const Trail& trail_;
  Activities& activities_;

  Lesson lesson_;
  std::uint32_t open_ = 0;  // literals of the last level still to be resolved
  std::vector<bool> seen_;  // by variable
  std::vector<Removable> removable_;
  std::vector<Variable> to_clear_;
  std::vector<std::uint64_t> level_stamps_;
  std::uint64_t stamp_ = 0;
};

}  // namespace treadle
