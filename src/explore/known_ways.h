// SPDX-License-Identifier: Apache-2.0
// Executions by the ways of their threads, thread after thread: those that went alike so far are looked at together. A question about one
// execution has to exclude what all others did, and most of these it need not look at: whoever has less in common with it than one that is
// excluded, in each of the ways, is excluded with that one. M9 of the benchmarks, 13 threads: 70 million pairs of questions and executions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "explore/common_ways.h"

namespace treadle {

class KnownWays {
 public:
  using Row = CommonWays::Row;

  /// `ways`: by thread, their numbers. Of several that went the same ways the first one is enough.
  void add(std::span<const std::uint32_t> ways, std::uint32_t number) {
    std::vector<std::uint32_t> along{0};
    for (const std::uint32_t way : ways) {
      std::uint32_t next = 0;
      for (const auto& [other, child] : nodes_[along.back()].children)
        if (other == way) next = child;
      if (next == 0) {
        next = static_cast<std::uint32_t>(nodes_.size());
        nodes_.emplace_back();
        nodes_[along.back()].children.emplace_back(way, next);
      }
      along.push_back(next);
    }
    if (nodes_[along.back()].ends_here != none) return;
    nodes_[along.back()].ends_here = number;
    for (const std::uint32_t node : along) {
      nodes_[node].oldest = std::min(nodes_[node].oldest, number);
      nodes_[node].newest = std::max(nodes_[node].newest, number);
    }
  }

  /// The most that others have in common with an execution of which `ends` are its own marks.
  template <class Mark, class Passes>
  struct Search {
    std::uint32_t first, before;   // numbers of executions that are looked at
    std::uint32_t thread;          // whose way only has to be one that passes; it has all in common then
    const Row& ends;               // by thread
    const std::vector<Row>& said;  // what has no more in common than one of these is left out
    Mark mark;                     // by thread and way
    Passes passes;                 // by way
    Row row{};                     // so far
    std::vector<Row> found{};      // none has no more in common than one found before it
  };

  /// False: one of them has all in common with it.
  template <class Mark, class Passes>
  bool find(Search<Mark, Passes>& search) const {
    search.row = search.ends;
    return find(search, nodes_.front(), 0);
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  struct Node {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> children{};  // way, node
    std::uint32_t ends_here = none;                                   // an execution with no more threads
    std::uint32_t oldest = none, newest = 0;
  };

  static bool is_implied(const Row& row, const std::vector<Row>& by) {
    return std::ranges::any_of(by, [&](const Row& known) {
      for (std::size_t t = 0; t < row.size(); ++t)
        if (row[t] > known[t]) return false;
      return true;
    });
  }

  /// `search.row` has the marks of the threads before this one, and all that there is of the others.
  template <class S>
  bool find(S& search, const Node& node, std::uint32_t thread) const {
    if (node.newest < search.first || node.oldest >= search.before) return true;
    if (is_implied(search.row, search.said) || is_implied(search.row, search.found)) return true;
    if (node.ends_here != none && node.ends_here >= search.first && node.ends_here < search.before && !ends_at(search, thread))
      return false;
    if (thread >= search.ends.size() || thread == search.thread) {
      for (const auto& [way, child] : node.children)
        if ((thread != search.thread || search.passes(way)) && !find(search, nodes_[child], thread + 1)) return false;
      return true;
    }
    const std::uint32_t end = search.ends[thread];
    for (const bool has_all : {true, false}) {  // what has more in common first: it leaves less of the others to look at
      for (const auto& [way, child] : node.children) {
        const std::uint32_t mark = std::min(search.mark(thread, way), end);
        if ((mark == end) != has_all) continue;
        search.row[thread] = mark;
        if (!find(search, nodes_[child], thread + 1)) return false;
      }
      search.row[thread] = end;
    }
    return true;
  }

  /// The threads from this one on are not there.
  template <class S>
  static bool ends_at(S& search, std::uint32_t thread) {
    if (search.thread >= thread) return true;
    Row row = search.row;
    for (std::size_t t = thread; t < row.size(); ++t) row[t] = 0;
    if (is_implied(row, search.said) || is_implied(row, search.found)) return true;
    search.found.push_back(row);
    return row != search.ends;
  }

  std::vector<Node> nodes_{1};
};

}  // namespace treadle
