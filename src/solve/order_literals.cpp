// SPDX-License-Identifier: Apache-2.0
#include "solve/order_literals.h"

#include "base/hash.h"

namespace treadle {

namespace {

bool is_ascending(OrderNode a, OrderNode b) { return static_cast<std::uint32_t>(a) < static_cast<std::uint32_t>(b); }

}  // namespace

/// Of the pair, or where it would go.
std::size_t OrderLiterals::slot_of(OrderNode low, OrderNode high) const {
  const std::uint64_t both = (std::uint64_t{static_cast<std::uint32_t>(low)} << 32) | static_cast<std::uint32_t>(high);
  std::size_t slot = Hash{}.add(both).value() & (slots_.size() - 1);
  while (slots_[slot].variable != free && (slots_[slot].low != low || slots_[slot].high != high)) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

std::optional<Literal> OrderLiterals::find(OrderNode a, OrderNode b) const {
  if (slots_.empty()) return std::nullopt;
  const bool swapped = !is_ascending(a, b);
  const Variable variable = slots_[swapped ? slot_of(b, a) : slot_of(a, b)].variable;
  if (variable == free) return std::nullopt;
  return literal_of(variable, swapped);
}

Literal OrderLiterals::add(OrderNode a, OrderNode b, Variable variable) {
  if (2 * (used_ + 1) > slots_.size()) grow();
  const bool swapped = !is_ascending(a, b);
  const Pair pair = swapped ? Pair{b, a} : Pair{a, b};
  if (pairs_.size() <= variable) pairs_.resize(variable + 1, Pair{OrderNode{0}, OrderNode{0}});
  slots_[slot_of(pair.first, pair.second)] = {pair.first, pair.second, variable};
  pairs_[variable] = pair;
  ++used_;
  if (by_node_.size() <= static_cast<std::uint32_t>(pair.second)) by_node_.resize(static_cast<std::uint32_t>(pair.second) + 1);
  by_node_[static_cast<std::uint32_t>(a)].push_back(variable);
  by_node_[static_cast<std::uint32_t>(b)].push_back(variable);
  return literal_of(variable, swapped);
}

void OrderLiterals::grow() {
  const std::vector<Slot> old = std::move(slots_);
  slots_.assign(old.empty() ? 64 : old.size() * 2, Slot{});
  for (const Slot& slot : old) {
    if (slot.variable != free) slots_[slot_of(slot.low, slot.high)] = slot;
  }
}

}  // namespace treadle
