// SPDX-License-Identifier: Apache-2.0
// How many switches between threads an order needs (Section 5 of Wang, Kundu, Ganai and Gupta, FM 2009).
//
// The seed gives every event an integer time. Here a unit has a literal "not before time k" for each k that matters, which is all that a
// bound needs; no arithmetic. Time stands still or goes on along everything that is fixed (a thread's own order, creation, joining) and
// goes on by one wherever a formula wants one unit to come before one of another thread.
#pragma once

#include <unordered_map>
#include <vector>

#include "solve/truth.h"
#include "solve/units.h"

namespace treadle {

class CausalFormula;

class ContextBound {
 public:
  explicit ContextBound(CausalFormula& formula) : formula_(formula) {}

  /// a comes before b, and later if they are of different threads. One way only: when it is false nothing is said.
  Truth precedes(UnitId a, UnitId b, Literal order);

  /// No time is later than that.
  Truth within(std::uint32_t bound);

 private:
  struct Pair {
    UnitId a, b;
    Truth precedes;
    bool strict;
  };
  void add_layer();
  void advance(const Pair& pair, std::size_t layer);
  Truth not_before(UnitId unit, std::size_t time) const { return time == 0 ? Truth(true) : layers_[time - 1][unit]; }

  CausalFormula& formula_;
  std::unordered_map<std::uint64_t, Truth> known_;
  std::vector<Pair> pairs_;
  std::vector<std::vector<Truth>> layers_;  // by time, from 1, and unit
  std::vector<Truth> bounds_;               // by bound
};

}  // namespace treadle
