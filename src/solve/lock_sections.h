// SPDX-License-Identifier: Apache-2.0
// Which units lie within which sections of locks. Two units within sections that exclude each other come in the order of these sections:
// one literal says it for all of them. And a write that another one of its section follows is never seen from another section.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "solve/units.h"

namespace treadle {

struct LockSection {
  std::uint32_t lock = 0;
  UnitId acquire = nothing, release = nothing;  // nothing: never released
  bool shared = false;
  bool tries = false;  // might not have got it
};

class LockSections {
 public:
  LockSections(const Units& units, std::vector<LockSection> sections);

  /// Those around the unit. The operation that takes a lock belongs to its section, unless it might not have got it; the one that gives it
  /// back does not.
  std::span<const std::uint32_t> around(UnitId unit) const { return around_[unit]; }
  std::span<const LockSection> all() const { return sections_; }
  const LockSection& operator[](std::uint32_t section) const { return sections_[section]; }

  /// They never overlap.
  bool exclude(std::uint32_t a, std::uint32_t b) const {
    return sections_[a].lock == sections_[b].lock && !(sections_[a].shared && sections_[b].shared);
  }
  bool is_within(UnitId unit, std::uint32_t section) const;

  /// Sections that exclude each other, one around each of the two units, of different threads; null: none.
  std::pair<const LockSection*, const LockSection*> apart(UnitId a, UnitId b) const;

 private:
  const Units& units_;
  std::vector<LockSection> sections_;
  std::vector<std::vector<std::uint32_t>> around_;  // by unit, in the order in which they were entered
};

}  // namespace treadle
