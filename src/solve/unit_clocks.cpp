// SPDX-License-Identifier: Apache-2.0
#include "solve/unit_clocks.h"

#include <algorithm>
#include <map>

namespace treadle {

/// A thread's steps are a chain, and so are the flushes of its stores to one location: each must come before the next.
std::vector<UnitClocks::Place> UnitClocks::places_of(const Units& units, std::size_t& chains) {
  std::map<std::pair<unsigned, std::uint64_t>, std::uint32_t> numbers;
  std::vector<std::uint32_t> lengths;
  std::vector<Place> places(units.all.size());
  for (UnitId u = 0; u < units.all.size(); ++u) {
    const Unit& unit = units.all[u];
    if (unit.left_out) continue;
    const std::uint64_t location = !unit.is_flush ? 0 : unit.writes.empty() ? std::uint64_t{u} << 32 | 1 : unit.writes.front().cell + 1;
    const auto [entry, is_new] = numbers.try_emplace({index_of(unit.thread), location}, static_cast<std::uint32_t>(lengths.size()));
    if (is_new) lengths.push_back(0);
    places[u] = {entry->second, ++lengths[entry->second]};
  }
  chains = lengths.size();
  return places;
}

std::size_t UnitClocks::chains_of(const Units& units) {
  std::size_t chains = 0;
  places_of(units, chains);
  return chains;
}

bool UnitClocks::pays(const Units& units) { return chains_of(units) * 32 <= units.all.size(); }

std::vector<std::vector<UnitId>> UnitClocks::units() const {
  std::vector<std::vector<UnitId>> all(chains_);
  for (UnitId u = 0; u < places_.size(); ++u)
    if (places_[u].number != 0) all[places_[u].chain].push_back(u);
  return all;
}

UnitClocks::UnitClocks(const Units& units) : places_(places_of(units, chains_)), clocks_(units.all.size() * chains_, 0) {
  for (UnitId u = 0; u < units.all.size(); ++u) {
    std::uint32_t* clock = &clocks_[static_cast<std::size_t>(u) * chains_];
    for (const UnitId m : units.all[u].must) {
      const std::uint32_t* earlier = &clocks_[static_cast<std::size_t>(m) * chains_];
      for (std::size_t c = 0; c < chains_; ++c) clock[c] = std::max(clock[c], earlier[c]);
    }
    if (places_[u].number != 0) clock[places_[u].chain] = places_[u].number;
  }
}

}  // namespace treadle
