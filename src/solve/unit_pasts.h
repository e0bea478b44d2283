// SPDX-License-Identifier: Apache-2.0
// Which units must come before which: a bit for each pair, found once for each trace and shared by all formulas about it.
#pragma once

#include <cstdint>
#include <vector>

#include "solve/units.h"

namespace treadle {

class UnitPasts {
 public:
  /// Units of `prefix` come first, in their order.
  UnitPasts(const Units& units, const std::vector<char>& prefix);

  /// a happens before b whenever b happens.
  bool must_precede(UnitId a, UnitId b) const { return (past_[static_cast<std::size_t>(b) * words_ + a / 64] >> (a % 64) & 1) != 0; }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> past_;
};

}  // namespace treadle
