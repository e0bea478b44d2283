// SPDX-License-Identifier: Apache-2.0
// Optimal dynamic partial order reduction (Abdulla, Aronis, Jonsson, Sagonas: POPL 2014, JACM 2017): source sets and wake-up trees. Each
// class of executions that differ only in the order of independent operations is run exactly once, and no execution is begun in vain.
//
// Beyond the papers: operations that wait (overtaking.h), spin loops (partial_order.h), store buffers (docs/strategies.md), and a tree
// whose leaves may be run in any order, many at once (execution_tree.h).
#pragma once

#include <algorithm>
#include <unordered_map>

#include "explore/execution_tree.h"
#include "explore/partial_order.h"
#include "explore/strategy.h"

namespace treadle {

class Optimal final : public Strategy {
 public:
  /// `base` gives everything but prefix and policy.
  explicit Optimal(Schedule base);

  std::optional<Item> next() override;
  void learn_from(Ticket ticket, const Trace& trace) override;
  Recording needs() const override;
  std::size_t ahead() const override { return std::clamp<std::size_t>(tree_.leaves() + out_.size(), 1, 64); }
  std::string covers() const override;
  std::optional<double> estimate() const override;
  Counts counts() const override { return counts_; }
  std::string save() const override;
  bool load(std::string_view bytes) override;

 private:
  using Node = ExecutionTree::Node;

  void follow(const Node& leaf);
  std::uint32_t first_asleep(const Trace& trace);
  void sleep_along(std::uint32_t last);
  void insert_races(std::uint32_t until);

  Schedule base_;
  FruitlessIterations fruitless_;
  ExecutionTree tree_;
  PartialOrder order_;
  std::unordered_map<Ticket, Node*> out_;
  Counts counts_;
  std::uint64_t executions_ = 0;

  // Of the execution last taken in
  std::vector<Node*> path_;                  // path_[k]: the node before transition k
  std::vector<std::uint64_t> path_serials_;  // they may have been given away since
  std::vector<std::vector<Action>> asleep_;  // asleep_[k]: at path_[k]
};

}  // namespace treadle
