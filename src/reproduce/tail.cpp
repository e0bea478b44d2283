// SPDX-License-Identifier: Apache-2.0
#include "reproduce/tail.h"

#include "abi/follow.h"

namespace treadle {
namespace {

constexpr unsigned most_paths = 10'000;  // nobody goes on for so long without leaving anything

struct Place {
  std::uint32_t function = 0, node = 0;
};

class Walk {
 public:
  Walk(const PathTables& tables, const Tail& tail) : tables_(tables) {
    for (const Tail::Frame& frame : tail.frames) frames_.push_back({frame.function, frame.in_call ? behind_call(frame) : frame.node});
    // A call of foreign code and what is behind it: whether it returned, nobody knows.
  }

  std::set<BlockId> run() {
    for (unsigned i = 0; i < most_paths && !frames_.empty(); ++i) {
      const Place start = frames_.back();
      add_path(start);
      if (node_at(start).width != 0 || !go_on(start)) break;
    }
    return std::move(found_);
  }

 private:
  const PathFunction& function(std::uint32_t number) const { return tables_.functions()[number]; }
  const PathNode& node_at(const Place& place) const { return function(place.function).nodes[place.node]; }
  std::uint32_t behind_call(const Tail::Frame& frame) const { return function(frame.function).nodes[frame.node].outs.front().target; }

  /// All blocks that a path from here can run through.
  void add_path(const Place& start) {
    const auto& nodes = function(start.function).nodes;
    if ((nodes[start.node].flags & TREADLE_NODE_BEGINS) == 0) found_.insert({start.function, TREADLE_RETURNS_AT | start.node});
    for (const std::uint32_t block : nodes[start.node].iteration) found_.insert({start.function, block});
    std::vector<std::uint32_t> open{start.node};
    std::vector<char> seen(nodes.size());
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      if (std::exchange(seen[at], 1)) continue;
      if (nodes[at].flags & TREADLE_NODE_BEGINS) found_.insert({start.function, nodes[at].block});
      for (const PathOut& out : nodes[at].outs)
        if (out.kind == TREADLE_OUT_EDGE) open.push_back(out.target);
    }
  }

  /// The only path from here leaves nothing: to where it leads. False: what follows would have shown.
  bool go_on(const Place& start) {
    const auto& nodes = function(start.function).nodes;
    std::uint32_t at = start.node;
    while (nodes[at].outs.front().kind == TREADLE_OUT_EDGE) at = nodes[at].outs.front().target;
    const PathOut& out = nodes[at].outs.front();
    if (out.kind == TREADLE_OUT_CUT) {
      frames_.back().node = out.target;
      return (nodes[out.target].flags & TREADLE_NODE_LOOP) == 0 || (add_path(frames_.back()), false);
    }
    if (out.kind == TREADLE_OUT_CALL && out.how == TREADLE_CALL_LOCAL) {
      frames_.back().node = out.target;
      frames_.push_back({out.callee, 0});
      return true;
    }
    if (out.kind != TREADLE_OUT_RETURN) return false;
    frames_.pop_back();
    return !frames_.empty();
  }

  const PathTables& tables_;
  std::vector<Place> frames_;  // each where it goes on
  std::set<BlockId> found_;
};

}  // namespace

std::set<BlockId> blocks_behind(const PathTables& tables, const Tail& tail) { return Walk(tables, tail).run(); }

}  // namespace treadle
