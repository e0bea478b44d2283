// SPDX-License-Identifier: Apache-2.0
// A growing and shrinking graph that never has a cycle, and one line in which its nodes can be drawn.
//
// An edge that agrees with the line costs nothing. One that does not makes the nodes between its ends change places as far as needed
// (Pearce and Kelly, "A dynamic topological sort algorithm for directed acyclic graphs", 2006). A line stays right when edges go, so taking
// an edge back costs nothing either, and the line remembers what the search tried last: it serves as the saved value of all order literals.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solve/order_solver.h"

namespace treadle {

class OrderGraph {
 public:
  /// Stands for "no literal": the edge holds always.
  static constexpr Literal always{0xffffffff};

  /// The new node is the last in line.
  OrderNode add_node();
  std::size_t nodes() const { return position_.size(); }

  std::uint32_t position(OrderNode node) const { return position_[index(node)]; }

  /// False: the edge would close a cycle; nothing is inserted and cycle() says which literals are on it.
  bool insert(OrderNode from, OrderNode to, Literal because);

  /// Takes the last inserted edge back. Edges go in the opposite order of their coming.
  void remove_last(OrderNode from, OrderNode to);

  /// All nodes in this order, if the edges allow that; false: they do not, and nothing has changed.
  bool line_up(std::span<const OrderNode> line);

  /// After insert() said no: the literals of the edges that lead from `to` back to `from`, as few as there can be.
  const std::vector<Literal>& cycle() const { return cycle_; }

  /// The nodes that changed their places since forget_moved().
  const std::vector<OrderNode>& moved() const { return moved_; }
  void forget_moved();

  /// Nodes visited in all searches: a measure of the time spent.
  std::uint64_t visits() const { return visits_; }

 private:
  struct Edge {
    std::uint32_t end;
    Literal because;
  };
  struct Arrival {
    std::uint32_t from;
    Literal because;
  };

  static std::uint32_t index(OrderNode node) { return static_cast<std::uint32_t>(node); }
  bool mark(std::uint32_t node);
  void start_marking();

  bool reach_forward(std::uint32_t from, std::uint32_t target);
  void reach_backward(std::uint32_t from, std::uint32_t lowest);
  void exchange_places();
  void explain(std::uint32_t from, std::uint32_t target);

  std::vector<std::vector<Edge>> out_;
  std::vector<std::vector<std::uint32_t>> in_;
  std::vector<std::uint32_t> position_;

  // Kept between searches only to spare allocations.
  std::vector<std::uint32_t> marked_;
  std::uint32_t mark_ = 0;
  std::vector<std::uint32_t> after_;
  std::vector<std::uint32_t> before_;
  std::vector<std::uint32_t> places_;
  std::vector<Arrival> arrival_;
  std::vector<std::uint32_t> next_;
  std::vector<Literal> cycle_;
  std::uint64_t visits_ = 0;

  std::vector<OrderNode> moved_;
  std::vector<bool> has_moved_;
};

}  // namespace treadle
