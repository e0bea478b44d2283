// SPDX-License-Identifier: Apache-2.0
// Which of two nodes comes first by the plain edges alone: answered in constant time by vector clocks.
//
// Nobody says which nodes form a thread, so chains are found: a node whose first edge comes from the end of a chain continues that chain.
// With program order added first there are as many chains as threads; in any other order there are more, and the answers are the same.
#pragma once

#include <cstdint>
#include <vector>

#include "solve/order_solver.h"

namespace treadle {

class MustOrder {
 public:
  void add_node();

  /// b must not already come before a.
  void add_edge(OrderNode a, OrderNode b);

  bool comes_before(OrderNode a, OrderNode b) const;

 private:
  static constexpr std::uint32_t no_chain = 0xffffffff;
  struct Place {
    std::uint32_t chain = no_chain;
    std::uint32_t number = 0;  // from 1 along the chain
  };
  using Clock = std::vector<std::uint32_t>;  // by chain: the highest number known to come before or to be this node; missing: none

  void start_chain(std::uint32_t node);
  void continue_chain(std::uint32_t last, std::uint32_t node);
  bool join(std::uint32_t into, std::uint32_t from);

  std::vector<Place> places_;
  std::vector<Clock> clocks_;
  std::vector<std::vector<std::uint32_t>> successors_;
  std::vector<std::uint32_t> chain_lengths_;
  std::vector<std::uint32_t> pending_;
};

}  // namespace treadle
