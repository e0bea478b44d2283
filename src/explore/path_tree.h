// SPDX-License-Identifier: Apache-2.0
// The path tree of a program (Yi and Huang 2018), as far as it has been seen: for each thread the tree of the ways that it can go. A path
// is one way for each thread; a node stands for all turns on the way to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "explore/turns.h"

namespace treadle {

using PathNode = std::uint32_t;
using Way = std::vector<PathNode>;  // of a thread: the node behind each of its turns
using Path = std::vector<Way>;      // by thread

class PathTree {
 public:
  struct Node {
    PathNode parent = 0;
    std::uint32_t thread = 0, depth = 0;
    TurnKind kind = TurnKind::Branch;
    std::uint64_t label = 0;
    PortableCondition condition;           // under which a thread at `parent` comes here; of a Result none
    std::optional<std::uint64_t> count{};  // of a Result: see Turn
    std::vector<PathNode> children{};
    std::vector<std::uint32_t> executions{};  // whose threads came by, by number
  };

  /// The path of an execution, which is told to all nodes on it.
  Path add(const Turns& turns, std::uint32_t execution);
  /// The same in two steps: where it goes, and who went there.
  Path place(const Turns& turns);
  void tell(const Path& path, std::uint32_t execution);

  const Node& operator[](PathNode node) const { return nodes_[node]; }
  PathNode root(std::uint32_t thread);

 private:
  PathNode child(PathNode from, const Turn& turn, const Turns& turns);

  std::vector<Node> nodes_;
  std::vector<PathNode> roots_;
  std::unordered_map<std::uint64_t, PathNode> by_label_;  // of parent and label
};

/// How many turns two ways have in common.
inline std::size_t common_turns(const Way& a, const Way& b) {
  std::size_t low = 0, high = std::min(a.size(), b.size());
  if (high == 0 || a[high - 1] == b[high - 1]) return high;  // most are
  while (low < high) {                                       // what is equal somewhere is equal before
    const std::size_t middle = (low + high + 1) / 2;
    if (a[middle - 1] == b[middle - 1])
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

}  // namespace treadle
