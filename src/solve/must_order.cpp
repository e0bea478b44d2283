// SPDX-License-Identifier: Apache-2.0
#include "solve/must_order.h"

#include <algorithm>

namespace treadle {

void MustOrder::add_node() {
  places_.emplace_back();
  clocks_.emplace_back();
  successors_.emplace_back();
}

bool MustOrder::comes_before(OrderNode a, OrderNode b) const {
  const Place& place = places_[static_cast<std::uint32_t>(a)];
  const Clock& clock = clocks_[static_cast<std::uint32_t>(b)];
  return a != b && place.chain < clock.size() && clock[place.chain] >= place.number;
}

void MustOrder::add_edge(OrderNode a, OrderNode b) {
  if (comes_before(a, b)) return;
  const auto from = static_cast<std::uint32_t>(a);
  const auto to = static_cast<std::uint32_t>(b);
  if (places_[from].chain == no_chain) start_chain(from);
  if (places_[to].chain == no_chain && places_[from].number == chain_lengths_[places_[from].chain]) continue_chain(from, to);
  successors_[from].push_back(to);
  if (join(to, from)) pending_.push_back(to);
  while (!pending_.empty()) {
    const std::uint32_t node = pending_.back();
    pending_.pop_back();
    for (const std::uint32_t next : successors_[node]) {
      if (join(next, node)) pending_.push_back(next);
    }
  }
}

void MustOrder::start_chain(std::uint32_t node) {
  const auto chain = static_cast<std::uint32_t>(chain_lengths_.size());
  chain_lengths_.push_back(1);
  places_[node] = {chain, 1};
  clocks_[node].resize(chain + 1, 0);
  clocks_[node][chain] = 1;
}

void MustOrder::continue_chain(std::uint32_t last, std::uint32_t node) {
  const std::uint32_t chain = places_[last].chain;
  places_[node] = {chain, ++chain_lengths_[chain]};
  Clock& clock = clocks_[node];
  if (clock.size() <= chain) clock.resize(chain + 1, 0);
  clock[chain] = places_[node].number;
}

bool MustOrder::join(std::uint32_t into, std::uint32_t from) {
  Clock& later = clocks_[into];
  const Clock& earlier = clocks_[from];
  if (later.size() < earlier.size()) later.resize(earlier.size(), 0);
  bool changed = false;
  for (std::size_t chain = 0; chain < earlier.size(); ++chain) {
    if (earlier[chain] <= later[chain]) continue;
    later[chain] = earlier[chain];
    changed = true;
  }
  return changed;
}

}  // namespace treadle
