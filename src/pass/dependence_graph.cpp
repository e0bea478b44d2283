// SPDX-License-Identifier: Apache-2.0
#include "pass/dependence_graph.h"

#include <llvm/Support/xxhash.h>

#include <algorithm>

namespace treadle {

using namespace llvm;

namespace {

constexpr std::uint32_t unvisited = 0, finished = UINT32_MAX;

std::uint64_t hash_of_bits(const BitVector& bits) {
  const auto words = bits.getData();
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(words.data());
  return xxh3_64bits(ArrayRef(bytes, words.size() * sizeof(words[0]))) >> 2;  // the map keeps two keys for itself
}

}  // namespace

DependenceGraph::Node DependenceGraph::add() {
  edges_.emplace_back();
  sources_.push_back(no_source);
  return static_cast<Node>(edges_.size() - 1);
}

DependenceGraph::Node DependenceGraph::add_source(unsigned number) {
  Node node = add();
  sources_[node] = number;
  source_count_ = std::max(source_count_, number + 1);
  return node;
}

void DependenceGraph::depend(Node node, Node on) {
  if (on == nothing || on == node || node <= everything) return;
  if (!edges_[node].empty() && (edges_[node].back() == on || edges_[node].front() == everything)) return;
  if (on == everything)
    edges_[node].assign(1, everything);
  else
    edges_[node].push_back(on);
}

DependenceGraph::SetId DependenceGraph::intern(BitVector members) {
  auto& candidates = by_hash_[hash_of_bits(members)];
  for (SetId set : candidates)
    if (sets_[set] == members) return set;
  candidates.push_back(static_cast<SetId>(sets_.size()));
  sets_.push_back(std::move(members));
  return candidates.back();
}

// All nodes of a component reach the same sources: their own, and those of the components that they lead to, which are finished.
void DependenceGraph::finish_component(ArrayRef<Node> component) {
  SmallVector<SetId, 8> parts;
  SmallVector<std::uint32_t, 4> own;
  for (Node node : component) {
    if (sources_[node] != no_source) own.push_back(sources_[node]);
    for (Node next : edges_[node])
      if (index_[next] == finished && !is_contained(parts, set_of_node_[next])) parts.push_back(set_of_node_[next]);
  }
  parts.erase(std::remove(parts.begin(), parts.end(), empty_set), parts.end());
  SetId set;
  if (is_contained(parts, set_of_everything)) {
    set = set_of_everything;
  } else if (own.empty() && parts.size() <= 1) {
    set = parts.empty() ? empty_set : parts.front();
  } else {
    BitVector members(source_count_);
    for (SetId part : parts) members |= sets_[part];
    for (std::uint32_t source : own) members.set(source);
    set = intern(std::move(members));
  }
  for (Node node : component) {
    set_of_node_[node] = set;
    index_[node] = finished;
  }
}

// Tarjan's strongly connected components, without recursion: chains of dependence are as long as the program.
void DependenceGraph::close_from(Node root) {
  struct Visit {
    Node node;
    std::size_t next_edge;
  };
  std::vector<Visit> path;
  auto enter = [&](Node node) {
    index_[node] = low_[node] = ++next_index_;
    stack_.push_back(node);
    path.push_back({node, 0});
  };
  enter(root);
  while (!path.empty()) {
    auto& [node, next_edge] = path.back();
    if (next_edge < edges_[node].size()) {
      Node next = edges_[node][next_edge++];
      if (index_[next] == unvisited)
        enter(next);
      else if (index_[next] != finished)
        low_[node] = std::min(low_[node], index_[next]);
      continue;
    }
    const Node done = node;
    path.pop_back();
    if (!path.empty()) low_[path.back().node] = std::min(low_[path.back().node], low_[done]);
    if (low_[done] != index_[done]) continue;
    auto first = std::prev(stack_.end());
    while (*first != done) --first;
    const SmallVector<Node, 8> component(first, stack_.end());
    stack_.erase(first, stack_.end());
    finish_component(component);
  }
}

void DependenceGraph::close() {
  sets_[empty_set].resize(source_count_);
  sets_[set_of_everything].resize(source_count_, true);
  set_of_node_.assign(edges_.size(), empty_set);
  index_.assign(edges_.size(), unvisited);
  low_.assign(edges_.size(), 0);
  index_[nothing] = index_[everything] = finished;
  set_of_node_[everything] = set_of_everything;
  for (Node node = everything + 1; node < edges_.size(); ++node)
    if (index_[node] == unvisited) close_from(node);
}

}  // namespace treadle
