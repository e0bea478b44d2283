// SPDX-License-Identifier: Apache-2.0
// Optimal dynamic partial order reduction (Abdulla, Aronis, Jonsson, Sagonas: POPL 2014, JACM 2017): source sets and wake-up trees. Each
// class of executions that differ only in the order of independent operations is run exactly once, and no execution is begun in vain.
//
// Beyond the papers: operations that wait (overtaking.h), spin loops (partial_order.h), store buffers (docs/strategies.md), and a tree
// whose leaves may be run in any order, many at once (execution_tree.h).
#pragma once

#include <algorithm>
#include <vector>

#include "explore/execution_tree.h"
#include "explore/partial_order.h"
#include "explore/strategy.h"

namespace treadle {

/// The more leaves are run at once, the larger the part of the tree that has to be kept. So many make batches long enough.
constexpr std::size_t most_out = 128;

class Optimal final : public Strategy {
 public:
  /// `base` gives everything but prefix and policy.
  explicit Optimal(Schedule base);

  std::optional<Item> next() override;
  void learn_from(Ticket ticket, const Trace& trace) override;
  /// Of one that is out: would this be an execution that has not been explored elsewhere?
  bool would_find_new(Ticket ticket, const Trace& trace);
  Recording needs() const override;
  std::size_t ahead() const override { return std::clamp<std::size_t>(tree_.leaves() + out_.size(), 1, most_out); }
  std::string covers() const override;
  std::optional<double> estimate() const override;
  ExecutionTree* classes() override { return &tree_; }
  Counts counts() const override { return counts_; }
  std::string save() const override;
  bool load(std::string_view bytes) override;

 private:
  using Node = ExecutionTree::Node;
  struct Out {
    Node* leaf;
    std::uint64_t serial;
    std::uint32_t prefix;  // decisions that it was given
  };

  Out returned(Ticket ticket);
  std::uint32_t follow(Node& leaf);
  std::uint32_t go_along(Node& leaf, const Trace& trace, std::uint32_t prefix);
  bool sleeps(std::uint32_t k, Process p) const;  // before transition k
  void take_in(const Trace& trace, std::uint32_t common, std::uint32_t from, std::uint32_t prefix);
  void give_up(Node& leaf, std::uint32_t from);
  void grow(std::uint32_t until);
  std::uint32_t first_asleep(const Trace& trace);
  void sleep_along(std::uint32_t last);
  KnownAction without(const Race& race, std::uint32_t k);
  std::span<const Race::Step> leading(const Race& race) const;
  std::size_t reverse(const Race& race);
  void insert_races(std::uint32_t until);
  void rely_on_sleeper(const Race& race, const Action& sleeper, std::size_t needed);

  Schedule base_;
  FruitlessIterations fruitless_;
  ExecutionTree tree_;
  PartialOrder order_;
  std::vector<Out> out_;  // in the order in which they were asked for
  bool in_turn_ = true;   // nothing that was asked for earlier is still out
  Counts counts_;
  std::uint64_t executions_ = 0;

  // Of the execution last taken in. The next one often begins with the same nodes, for which all this holds too.
  struct Visited {
    Node* node;
    std::uint64_t serial;  // the node may have been given away since
  };
  std::vector<Visited> path_;     // path_[k]: before transition k
  Sequence made_;                 // transition k
  std::vector<Sequence> asleep_;  // asleep_[k], for k < slept_: at path_[k]
  std::uint32_t slept_ = 0;
  Sequence reversed_;  // by reverse()
  std::vector<std::uint32_t> behind_;
  Sequence rest_;  // its scratch
};

}  // namespace treadle
