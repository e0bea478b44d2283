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

  std::size_t chains() const { return chains_; }
  /// How many of the chain come before the unit, itself included if it is one of them.
  std::uint32_t last_of(std::size_t chain, UnitId unit) const { return clocks_[static_cast<std::size_t>(unit) * chains_ + chain]; }
  /// By chain, in their order.
  std::vector<std::vector<UnitId>> units() const;

  static std::size_t chains_of(const Units& units);
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
