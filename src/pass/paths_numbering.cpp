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
    set_single_paths_apart();
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

  /// The only path from a start, as from behind a call to the return, need not be told; but where it meets others, it would tell its number
  /// like them. So all of them end there, and from there on nobody tells anything. Numbers stay as they are: one path ends, one starts.
  void set_single_paths_apart() {
    std::vector<SmallVector<PathOut*, 4>> in(nodes_.size());
    for (PathNode& node : nodes_)
      for (PathOut& out : node.outs)
        if (out.kind == TREADLE_OUT_EDGE) in[out.target].push_back(&out);
    for (unsigned start = 0; start < nodes_.size(); ++start) {
      if (!nodes_[start].is_start || nodes_[start].paths != 1 || (nodes_[start].flags & TREADLE_NODE_LOOP) != 0) continue;
      if (const int meeting = meeting_on(start, in); meeting >= 0)
        for (PathOut* out : in[meeting]) cut(*out);
    }
  }

  /// The first node on the only path from here where others join it; -1: none, or something on the path has to be told.
  int meeting_on(unsigned at, ArrayRef<SmallVector<PathOut*, 4>> in) const {
    int meeting = -1;
    for (;;) {
      if (nodes_[at].must_tell) return -1;
      const auto* edge = find_if(nodes_[at].outs, [&](const PathOut& out) { return paths_of(out) > 0; });
      if (edge == nodes_[at].outs.end() || edge->kind != TREADLE_OUT_EDGE) return meeting;
      at = edge->target;
      if (meeting < 0 && in[at].size() > 1) meeting = static_cast<int>(at);
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
    std::vector<bool> leaves_words(nodes_.size(), false);
    for (const PathNode& node : nodes_) {
      unsigned& wanted = width[node.component];
      if (node.must_tell || (node.flags & TREADLE_NODE_LOOP) != 0) wanted = std::max(wanted, 1u);
      if (node.is_start && node.paths > 1) wanted = std::max(wanted, node.paths > TREADLE_MOST_PATHS_1 ? 2u : 1u);
      if ((node.flags & TREADLE_NODE_PACKED) != 0 && !node.is_short) leaves_words[node.component] = true;
    }
    widen_for_packed_loops(width);
    for (PathNode& node : nodes_) {
      node.width = width[node.component];
      node.clears = leaves_words[node.component];
    }
  }

  /// What a packed loop did takes about three bytes by itself, none where it joins a number of two bytes; but then all paths of the
  /// component take one more.
  void widen_for_packed_loops(std::vector<unsigned>& width) const {
    std::vector<std::uint64_t> entries(nodes_.size(), 0), ends(nodes_.size(), 0);
    for (const PathNode& node : nodes_)
      for (const PathOut& out : node.outs) {
        if (out.kind == TREADLE_OUT_EDGE || out.kind == TREADLE_OUT_AGAIN) continue;
        const bool cut = out.kind == TREADLE_OUT_CUT;
        const std::uint64_t times = cut ? weight(node, nodes_[out.target]) : frequencies_.getBlockFreq(node.block).getFrequency();
        ends[node.component] += times;
        if (cut && (nodes_[out.target].flags & TREADLE_NODE_PACKED) != 0) entries[nodes_[out.target].component] += times;
      }
    for (std::size_t i = 0; i < width.size(); ++i)
      if (entries[i] > 0 && ends[i] / 3 <= entries[i]) width[i] = 2;
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
