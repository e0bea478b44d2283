// SPDX-License-Identifier: Apache-2.0
#include "solve/lock_sections.h"

#include <algorithm>
#include <array>

namespace treadle {

LockSections::LockSections(const Units& units, std::vector<LockSection> sections)
    : units_(units), sections_(std::move(sections)), around_(units.all.size()) {
  std::array<UnitId, 256> last{};
  last.fill(nothing);
  for (UnitId u = 0; u < units.all.size(); ++u)
    if (!units.all[u].is_flush && !units.all[u].left_out) last[index_of(units.all[u].thread)] = u;
  for (std::uint32_t s = 0; s < sections_.size(); ++s) {
    const LockSection& section = sections_[s];
    const auto add = [&](UnitId u) {
      around_[u].push_back(s);
      // Giving a lock back waits until the own stores have reached memory.
      if (!units.all[u].is_flush && units.all[u].partner != nothing) around_[units.all[u].partner].push_back(s);
    };
    UnitId u = section.release == nothing ? last[index_of(units.all[section.acquire].thread)] : units.all[section.release].before;
    if (section.release == section.acquire) u = nothing;  // within an atomic section
    for (; u != nothing && u != section.acquire; u = units.all[u].before) add(u);
    if (!section.tries) add(section.acquire);
  }
}

bool LockSections::is_within(UnitId unit, std::uint32_t section) const {
  return std::find(around_[unit].begin(), around_[unit].end(), section) != around_[unit].end();
}

std::pair<const LockSection*, const LockSection*> LockSections::apart(UnitId a, UnitId b) const {
  if (units_.all[a].thread != units_.all[b].thread)
    for (const std::uint32_t one : around_[a])
      for (const std::uint32_t other : around_[b])
        if (exclude(one, other)) return {&sections_[one], &sections_[other]};
  return {nullptr, nullptr};
}

}  // namespace treadle
