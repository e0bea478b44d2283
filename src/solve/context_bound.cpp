// SPDX-License-Identifier: Apache-2.0
#include "solve/context_bound.h"

#include "solve/causal_formula.h"

namespace treadle {

Truth ContextBound::precedes(UnitId a, UnitId b, Literal order) {
  const auto [entry, is_new] = known_.try_emplace(std::uint64_t{a} << 32 | b, Truth(false));
  if (!is_new) return entry->second;
  const Truth precedes = entry->second = formula_.open();
  formula_.clause({~precedes, Truth(order)});
  pairs_.push_back({a, b, precedes, formula_.unit(a).thread != formula_.unit(b).thread});
  for (std::size_t time = 1; time <= layers_.size(); ++time) advance(pairs_.back(), time);
  return precedes;
}

void ContextBound::advance(const Pair& pair, std::size_t time) {
  formula_.clause({~pair.precedes, ~not_before(pair.a, pair.strict ? time - 1 : time), not_before(pair.b, time)});
}

void ContextBound::add_layer() {
  std::vector<Truth> layer;
  for (UnitId u = 0; u < formula_.size(); ++u) layer.push_back(formula_.open());
  layers_.push_back(std::move(layer));
  const std::size_t time = layers_.size();
  for (UnitId u = 0; u < formula_.size(); ++u) {
    formula_.clause({~not_before(u, time), not_before(u, time - 1)});
    for (const UnitId m : formula_.unit(u).must) formula_.clause({~not_before(m, time), not_before(u, time)});
  }
  for (const Pair& pair : pairs_) advance(pair, time);
}

Truth ContextBound::within(std::uint32_t bound) {
  while (bounds_.size() <= bound) {
    add_layer();
    const Truth within = formula_.open();
    for (UnitId u = 0; u < formula_.size(); ++u) formula_.clause({~within, ~not_before(u, bounds_.size() + 1)});
    bounds_.push_back(within);
  }
  return bounds_[bound];
}

}  // namespace treadle
