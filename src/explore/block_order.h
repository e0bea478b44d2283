// SPDX-License-Identifier: Apache-2.0
// What an execution tells a search with a bound on preemptions: at which of its decisions other threads must be tried too, so that every
// schedule within the bound has an equivalent one, within the bound too, that is explored.
//
// The cost of a schedule is the number of its blocks (stretches of one thread running alone) that end although their thread could have
// gone on. Blocks that do not conflict can change places without anybody noticing and without changing the cost. Parts of blocks cannot:
// what is taken out of the middle of a block makes two blocks of it. So, where partial order reduction asks whether the next *step* of a
// thread conflicts with what others do before it in some schedule, here it depends on where the thread stands:
//   - it is running: going on is free, and its next step alone counts, as ever: the step can be put in front of the others without a
//     further block. For a step i that conflicts with a later e, the thread of e is tried before i. (Costs a preemption.)
//   - it begins a block: all that it does until it blocks counts. For an i that conflicts with a later e, the thread of e is also tried
//     before the block that i is part of. (Costs what the block's own beginning costs: the "conservative backtrack points" of Coons,
//     Musuvathi and McKinley 2013.)
// A conflict may also be that i lets a blocked e go on: put before it, the thread of e would not have blocked, and its block would have
// ended for the price of a preemption instead of for nothing. So pairs that can only happen in one order count here, unlike in unbounded
// search, and so do fruitless iterations of spin loops, which end a block for nothing.
//
// A bound can also hide the execution in which i and e are neighbours (a lock that is taken again and again by a thread that may not be
// preempted). So e is compared with every i that its thread knew nothing of when it got to e, not only with the last.
//
// Why this suffices, and no sleep sets: docs/decisions/0006-bounded-reduction.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "explore/partial_order.h"

namespace treadle {

/// Before decision number `node`, one of these threads must be tried; any will do.
struct Needed {
  std::uint32_t node = 0;
  std::span<const ThreadId> one_of;
  bool all = false;  // any would not do: all of them
};

class BlockOrder {
 public:
  explicit BlockOrder(Races races) : order_(races, MemoryModel::Sc, fruitless_) {}

  /// An execution whose decisions before `from` have been looked at in others.
  void take_in(const Trace& trace, std::uint32_t from);

  std::size_t needs() const { return needs_.size(); }
  Needed need(std::size_t n) const;

 private:
  /// An operation, done or not, whose thread had got to it when `past` was the last thing the thread had done.
  struct Later {
    Action action;
    EventKind kind;
    std::uint32_t past;  // transition, or none
    std::uint32_t at;    // it stands, or would have stood, behind so many transitions
    bool is_exact;       // it is transition `at` and touches what that touches: what it conflicts with happened before it
  };
  struct Range {
    std::uint32_t node, first, count;
    bool all;
  };

  std::uint32_t common_with_last(const Trace& trace);
  void index(const Trace& trace);
  void look_back(const Trace& trace, const Later& later);
  void look_back_from_pending(const Trace& trace);
  void add_reads_of_loop(std::uint32_t from, Action& action) const;
  void need_before(const Trace& trace, std::uint32_t node, const Later& later);
  void need_initial(std::uint32_t node, std::uint32_t past);

  FruitlessIterations fruitless_;
  PartialOrder order_;
  std::vector<Decision> last_;                          // decisions of the execution taken in before
  std::vector<std::uint32_t> block_begin_;              // by decision: where the block it belongs to begins
  std::vector<std::uint32_t> transition_at_;            // by decision
  std::vector<std::vector<std::uint32_t>> of_process_;  // by slot: its transitions
  std::vector<std::uint32_t> last_of_thread_;           // by thread: its last transition
  std::vector<Range> needs_;
  std::vector<ThreadId> threads_;      // that needs_ refers to
  std::vector<std::uint32_t> firsts_;  // scratch of need_initial
};

}  // namespace treadle
