// SPDX-License-Identifier: Apache-2.0
// What the clauses force: two literals of each clause are watched, and a clause is looked at only when one of them becomes false.
#pragma once

#include <vector>

#include "solve/trail.h"

namespace treadle {

class Propagation {
 public:
  Propagation(ClauseDatabase& clauses, Trail& trail) : clauses_(clauses), trail_(trail) {}

  void add_variable() { watches_.resize(watches_.size() + 2); }

  /// Two literals at least; the first two are watched. When some are false, the first two are the last to have become so.
  void watch(ClauseRef clause);

  /// After the database was compacted.
  void watch_all_anew();

  /// Assigns what follows from the trail. The clause that cannot be satisfied, or none.
  ClauseRef propagate();

  /// The trail was cut to `size`.
  void went_back(std::uint32_t size) {
    if (next_ > size) next_ = size;
  }

  /// Clauses looked at: a measure of the time spent.
  std::uint64_t steps() const { return steps_; }

 private:
  /// Eight bytes: these lists are what propagation reads most.
  struct Watch {
    std::uint32_t place : 31;   // of the clause
    std::uint32_t is_pair : 1;  // then `other` is all there is to know, and the clause is not fetched at all
    Literal other;              // some literal of the clause: when it is true, the clause need not be fetched

    ClauseRef clause() const { return static_cast<ClauseRef>(place); }
  };

  ClauseRef visit_watches(Literal falsified);

  ClauseDatabase& clauses_;
  Trail& trail_;
  std::vector<std::vector<Watch>> watches_;  // by literal: the clauses to look at when it becomes false
  std::uint32_t next_ = 0;                   // of the trail
  std::uint64_t steps_ = 0;
};

}  // namespace treadle
