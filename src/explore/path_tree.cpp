// SPDX-License-Identifier: Apache-2.0
#include "explore/path_tree.h"

#include "base/hash.h"

namespace treadle {

PathNode PathTree::root(std::uint32_t thread) {
  while (roots_.size() <= thread) {
    Node node;
    node.thread = static_cast<std::uint32_t>(roots_.size());
    node.parent = static_cast<PathNode>(nodes_.size());
    roots_.push_back(node.parent);
    nodes_.push_back(std::move(node));
  }
  return roots_[thread];
}

PathNode PathTree::child(PathNode from, const Turn& turn, const Turns& turns) {
  const std::uint64_t key = Hash().add(from).add(turn.label).value();
  const auto [known, is_new] = by_label_.try_emplace(key, static_cast<PathNode>(nodes_.size()));
  if (!is_new) return known->second;
  Node node;
  node.parent = from;
  node.thread = nodes_[from].thread;
  node.depth = nodes_[from].depth + 1;
  node.kind = turn.kind;
  node.label = turn.label;
  node.count = turn.count;
  if (turn.kind != TurnKind::Result) node.condition = turns.portable(turn);
  nodes_[from].children.push_back(known->second);
  nodes_.push_back(std::move(node));
  return known->second;
}

Path PathTree::add(const Turns& turns, std::uint32_t execution) {
  Path path = place(turns);
  tell(path, execution);
  return path;
}

Path PathTree::place(const Turns& turns) {
  Path path(turns.of_threads().size());
  for (std::uint32_t t = 0; t < path.size(); ++t) {
    PathNode at = root(t);
    for (const Turn& turn : turns.of_threads()[t]) path[t].push_back(at = child(at, turn, turns));
  }
  return path;
}

void PathTree::tell(const Path& path, std::uint32_t execution) {
  for (std::uint32_t t = 0; t < path.size(); ++t) {
    nodes_[root(t)].executions.push_back(execution);
    for (const PathNode node : path[t]) nodes_[node].executions.push_back(execution);
  }
}

}  // namespace treadle
