// SPDX-License-Identifier: Apache-2.0
// Data races whose accesses are never next to each other: something has to come between them, and yet nothing orders them.
//
// Where whatever a thread needs of another one also orders the two (a lock that was given back, a value released and acquired), a prefix of
// any execution that shows a race leads to where both accesses come next; TraceModel is asked for that, which is easier. A relaxed load
// breaks it: a thread that saw a relaxed store has seen nothing else of who made it, however much that one did before. So do a try-lock
// that failed and a signal that was given without the lock.
//
// The order is the runtime's (runtime/clocks.h and those who call it, runtime/granule.cpp for atomics). An edge too many would hide a race;
// one too few gives an execution that does not show it. What the first access is ordered before spreads along edges, of which few matter:
// an answer is looked at, and if it leads from the one access to the other, the edges that it has are said, each with what it takes: not
// that they are absent, but that who is reached there is reached. Then the question is asked again. Nodes are events; what a value carries
// to those who acquire it, and what a thread has seen and not acquired yet, are nodes too.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "solve/trace_model.h"

namespace treadle {

/// Does a thread of it need something of another one that does not order them?
bool passes_unordered(const Trace& trace);

class Unordered {
 public:
  /// Both must outlive this.
  Unordered(const Trace& trace, TraceModel& model);

  /// An execution that makes the one access, and in the end the other, which nothing orders behind it.
  Reply ask(std::uint32_t one, std::uint32_t other);

 private:
  enum class What : std::uint8_t {
    Known,    // the thread is behind the first access when the event is over
    Carried,  // so is who acquires the value that the event stored
    Seen,     // the event has loaded such a value, without acquiring it
    Asked     // the thread is behind the first access when it makes this one
  };
  struct Node {
    What what = What::Known;
    std::uint32_t event = 0;
    auto operator<=>(const Node&) const = default;
  };
  struct Edge {
    Node from, to;
    enum Takes : std::uint8_t { Nothing, Order, ReadsFrom } takes = Nothing;
    CellId cell = 0;
    auto operator<=>(const Edge&) const = default;
  };
  /// Of one access: what is behind it.
  struct Behind {
    std::map<Node, Truth> nodes;
    std::set<Edge> said;
  };
  class Walk;

  Truth at(Behind& behind, std::uint32_t one, Node node);
  /// False: all of them were said before.
  bool say(Behind& behind, std::uint32_t one, const std::vector<Edge>& edges);
  void add_reads_from(const Edge& edge, std::vector<Truth>& unless);
  /// Of a store: where it is made, or reaches memory.
  UnitId reaches_memory(std::uint32_t store) const;
  std::vector<UnitId> hiding(const std::vector<UnitId>& order, std::uint32_t one, std::uint32_t other) const;
  Truth between(UnitId writer, UnitId other, UnitId reader);

  const Trace& trace_;
  TraceModel& model_;
  std::vector<std::vector<std::uint32_t>> events_;        // by unit, those that order something
  std::vector<std::vector<std::uint32_t>> plain_writes_;  // by unit
  std::map<CellId, std::vector<UnitId>> writers_;         // of atomics
  std::unordered_map<std::uint32_t, Behind> behind_;      // by access
  std::map<std::tuple<UnitId, UnitId, UnitId>, Truth> between_;
};

}  // namespace treadle
