// SPDX-License-Identifier: Apache-2.0
#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/STLExtras.h>

#include "pass/paths_graph.h"

namespace treadle {

using namespace llvm;

namespace {

class Numbering {
 public:
  Numbering(PathGraph& graph, const BlockFrequencyInfo& frequencies, const BranchProbabilityInfo& probabilities)
      : nodes_(graph.nodes), frequencies_(frequencies), probabilities_(probabilities) {}

  void run() {
    cut_cycles();
    for (unsigned node : order_) count_paths(node);
    find_components();
    choose_widths();
    choose_potentials();
  }

 private:
  void cut(PathOut& out) {
    out.kind = TREADLE_OUT_CUT;
    nodes_[out.target].is_start = true;
  }

  /// Depth first; an edge to a node that is still being visited closes a cycle. Leaves the nodes in order_, targets of edges first.
  void cut_cycles() {
    enum : char { New, Open, Done };
    std::vector<char> state(nodes_.size(), New);
    SmallVector<std::pair<unsigned, unsigned>, 32> stack;  // node, next of its outs
    for (unsigned root = 0; root < nodes_.size(); ++root) {
      if (state[root] != New) continue;
      stack.emplace_back(root, 0);
      state[root] = Open;
      while (!stack.empty()) {
        auto& [node, next] = stack.back();
        if (next == nodes_[node].outs.size()) {
          state[node] = Done;
          order_.push_back(node);
          stack.pop_back();
          continue;
        }
        PathOut& out = nodes_[node].outs[next++];
        if (out.kind != TREADLE_OUT_EDGE) continue;
        if (state[out.target] == Open) {
          cut(out);
        } else if (state[out.target] == New) {
          state[out.target] = Open;
          stack.emplace_back(out.target, 0);
        }
      }
    }
  }

  unsigned paths_of(const PathOut& out) const {
    if (out.kind == TREADLE_OUT_EDGE) return nodes_[out.target].paths;
    return out.kind == TREADLE_OUT_AGAIN ? 0 : 1;
  }

  /// Where there would be too many, all ways out of the node are cut.
  void count_paths(unsigned number) {
    PathNode& node = nodes_[number];
    std::uint64_t sum = 0;
    for (const PathOut& out : node.outs) sum += paths_of(out);
    if (sum > TREADLE_MOST_PATHS_2)
      for (PathOut& out : node.outs)
        if (out.kind == TREADLE_OUT_EDGE) cut(out);
    node.paths = 0;
    for (PathOut& out : node.outs) {
      out.value = node.paths;
      node.paths += paths_of(out);
    }
  }

  void find_components() {
    EquivalenceClasses<unsigned> classes;
    for (unsigned i = 0; i < nodes_.size(); ++i) {
      classes.insert(i);
      for (const PathOut& out : nodes_[i].outs)
        if (out.kind == TREADLE_OUT_EDGE) classes.unionSets(i, out.target);
    }
    for (unsigned i = 0; i < nodes_.size(); ++i) nodes_[i].component = classes.getLeaderValue(i);
  }

  void choose_widths() {
    std::vector<unsigned> width(nodes_.size(), 0);
    for (const PathNode& node : nodes_) {
      unsigned& wanted = width[node.component];
      if (node.must_tell || (node.flags & TREADLE_NODE_COUNTED) != 0) wanted = std::max(wanted, 1u);
      if (node.flags & TREADLE_NODE_PACKED) wanted = 2;  // room for a few iterations
      if (node.is_start && node.paths > 1) wanted = std::max(wanted, node.paths > TREADLE_MOST_PATHS_1 ? 2u : 1u);
    }
    for (PathNode& node : nodes_) node.width = width[node.component];
  }

  struct TreeEdge {
    std::uint64_t weight;
    unsigned from, to;
    std::int64_t value;
  };

  /// Starts and ends lead from and to the outer node. What is added there costs nothing: it joins a constant that is stored anyway.
  std::vector<TreeEdge> edges() const {
    const unsigned outer = nodes_.size();
    std::vector<TreeEdge> all;
    for (unsigned i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].is_start) all.push_back({0, outer, i, 0});
      for (const PathOut& out : nodes_[i].outs) {
        if (out.kind == TREADLE_OUT_AGAIN) continue;
        const bool inside = out.kind == TREADLE_OUT_EDGE;
        all.push_back({inside ? weight(nodes_[i], nodes_[out.target]) : 0, i, inside ? out.target : outer, out.value});
      }
    }
    sort(all, [](const TreeEdge& a, const TreeEdge& b) { return std::tie(b.weight, a.from, a.to) < std::tie(a.weight, b.from, b.to); });
    return all;
  }

  std::uint64_t weight(const PathNode& from, const PathNode& to) const {
    return probabilities_.getEdgeProbability(from.block, to.block).scale(frequencies_.getBlockFreq(from.block).getFrequency()) + 1;
  }

  /// Kruskal; then potentials make every increment on the tree zero.
  void choose_potentials() {
    EquivalenceClasses<unsigned> joined;
    for (unsigned i = 0; i <= nodes_.size(); ++i) joined.insert(i);
    std::vector<SmallVector<std::pair<unsigned, std::int64_t>, 4>> tree(nodes_.size() + 1);
    for (const TreeEdge& edge : edges()) {
      if (joined.isEquivalent(edge.from, edge.to)) continue;
      joined.unionSets(edge.from, edge.to);
      tree[edge.from].emplace_back(edge.to, edge.value);
      tree[edge.to].emplace_back(edge.from, -edge.value);
    }
    SmallVector<unsigned, 32> work{static_cast<unsigned>(nodes_.size())};
    std::vector<bool> seen(nodes_.size() + 1, false);
    seen[nodes_.size()] = true;
    while (!work.empty()) {
      const unsigned at = work.pop_back_val();
      const std::int64_t here = at == nodes_.size() ? 0 : nodes_[at].potential;
      for (const auto& [next, value] : tree[at]) {
        if (seen[next]) continue;
        seen[next] = true;
        nodes_[next].potential = here + value;
        work.push_back(next);
      }
    }
  }

  std::vector<PathNode>& nodes_;
  const BlockFrequencyInfo& frequencies_;
  const BranchProbabilityInfo& probabilities_;
  std::vector<unsigned> order_;
};

}  // namespace

void number_paths(PathGraph& graph, const BlockFrequencyInfo& frequencies, const BranchProbabilityInfo& probabilities) {
  Numbering(graph, frequencies, probabilities).run();
}

}  // namespace treadle
