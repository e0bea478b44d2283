// SPDX-License-Identifier: Apache-2.0
// Which variable speaks about which pair of nodes, and back.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "solve/trail.h"

namespace treadle {

class OrderLiterals {
 public:
  struct Pair {
    OrderNode first;
    OrderNode second;
  };

  /// The literal "a before b", when the pair has a variable.
  std::optional<Literal> find(OrderNode a, OrderNode b) const;

  /// From now on `variable` says "a before b".
  Literal add(OrderNode a, OrderNode b, Variable variable);

  bool is_order(Variable variable) const { return variable < pairs_.size() && pairs_[variable].first != pairs_[variable].second; }

  /// What a true literal says: first before second.
  Pair pair_of(Literal literal) const {
    const Pair pair = pairs_[variable_of(literal)];
    return is_negated(literal) ? Pair{pair.second, pair.first} : pair;
  }

  /// Those that speak about the node.
  std::span<const Variable> variables_of(OrderNode node) const {
    const auto index = static_cast<std::uint32_t>(node);
    return index < by_node_.size() ? std::span<const Variable>(by_node_[index]) : std::span<const Variable>();
  }

 private:
  static constexpr Variable free = 0xffffffff;
  struct Slot {
    OrderNode low;
    OrderNode high;
    Variable variable = free;
  };

  std::size_t slot_of(OrderNode low, OrderNode high) const;
  void grow();

  std::vector<Pair> pairs_;  // by variable; a variable that is no order literal has the same node twice
  std::vector<Slot> slots_;  // open addressing; a power of two, at most half full
  std::size_t used_ = 0;
  std::vector<std::vector<Variable>> by_node_;
};

}  // namespace treadle
