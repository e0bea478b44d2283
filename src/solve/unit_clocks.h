// SPDX-License-Identifier: Apache-2.0
// Which of two units must come first, by vector clocks: as much memory as units times threads, where a table of all pairs would not fit.
#pragma once

#include <vector>

#include "solve/units.h"

namespace treadle {

class UnitClocks {
 public:
  explicit UnitClocks(const Units& units);

  bool must_precede(UnitId a, UnitId b) const {
    return a != b && places_[a].number != 0 && clocks_[static_cast<std::size_t>(b) * chains_ + places_[a].chain] >= places_[a].number;
  }

  /// More chains than that, and a table of all pairs is smaller.
  static bool pays(const Units& units);

 private:
  struct Place {
    std::uint32_t chain = 0, number = 0;  // from 1 along its chain; 0: a step of a fruitless iteration, which nothing follows
  };
  static std::vector<Place> places_of(const Units& units, std::size_t& chains);

  std::size_t chains_ = 0;
  std::vector<Place> places_;
  std::vector<std::uint32_t> clocks_;  // by unit and chain: the last one of it that comes before the unit, or is it
};

}  // namespace treadle
