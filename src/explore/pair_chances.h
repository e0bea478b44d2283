// SPDX-License-Identifier: Apache-2.0
// How likely a random walk is to keep to a partial order of events, as far as it concerns two processes at a time.
//
// For two processes that have made a and b of their steps: the probability that they go on in an order that agrees with the partial order,
// when each next step is made by either of them with the probability that a probe gives it, unless one waits for the other. One table of n
// * m entries for each pair that has any order. For more than two processes the product over all pairs is only an approximation, which is
// all it has to be.
#pragma once

#include <cstdint>
#include <vector>

#include "explore/partial_order.h"

namespace treadle {

class PairChances {
 public:
  explicit PairChances(const PartialOrder& order) : order_(order) {}

  /// Of the execution that `order` has taken in; from its start.
  void begin(const Trace& trace);

  std::size_t processes() const { return lines_.size(); }
  /// Has the process a next event, and nothing that comes before that is still to be done?
  bool is_next(std::uint32_t process) const;
  /// How likely the walk is to make its next step, times by how much that makes it likelier to keep to the order, over all pairs.
  double gain(std::uint32_t process) const;
  void make_step(std::uint32_t process) { ++lines_[process].done; }

 private:
  struct Line {
    std::vector<std::uint32_t> transitions;
    std::vector<double> weights;                    // of each of them in the walk
    std::vector<std::vector<std::uint64_t>> holds;  // before each of them: mutexes
    std::uint32_t done = 0;
  };
  struct Table {
    std::uint32_t columns = 0;
    std::vector<double> chances;  // empty: nothing orders the two
    double at(std::uint32_t a, std::uint32_t b) const { return chances[static_cast<std::size_t>(a) * columns + b]; }
  };

  void lay_out(const Trace& trace);
  void fill(const Trace& trace, std::uint32_t i, std::uint32_t j);
  bool comes_first(std::uint32_t i, std::uint32_t a, std::uint32_t j, std::uint32_t b) const;
  bool waits(const Trace& trace, std::uint32_t i, std::uint32_t a, std::uint32_t j, std::uint32_t b) const;
  bool has_order(std::uint32_t i, std::uint32_t j) const;
  const Table& table(std::uint32_t i, std::uint32_t j) const { return tables_[static_cast<std::size_t>(i) * lines_.size() + j]; }

  const PartialOrder& order_;
  std::vector<Line> lines_;    // by slot
  std::vector<Table> tables_;  // by pair, the lower slot first
};

}  // namespace treadle
