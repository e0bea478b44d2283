// SPDX-License-Identifier: Apache-2.0
// How many classes one execution chosen at random stands for: the unbiased estimate of their number.
//
// Knuth (1975) walks down a tree at random and takes the inverse of the walk's probability: on average that is the number of leaves. Of the
// tree of schedules that would count schedules. To count classes, the schedules of a class must share one count among them: any rule will
// do that gives each schedule s of a class C a share r(s), depending on nothing but C and s, such that the shares sum up to one. Then
//
//   w(s) = r(s) / p(s)      has the mean      sum over all s of p(s) w(s)  =  sum over C of sum over s in C of r(s)  =  number of classes
//
// whatever p is, as long as it is never 0. (Sleep sets are such a rule: the whole share goes to the least schedule of its class. But then
// nearly all walks count 0 and a few count enormously.) The nearer r is to the probability of s among those of its class, the less w
// varies; with the true one, w = 1 / p(C) for each s of C.
//
// What we take: the schedules of C are the ways to put the events of its partial order one after another. r builds one as the random walk
// would, except that it takes only events that are next in C, and prefers those after which the walk would be likelier to keep to C: by a
// product over all pairs of processes (pair_chances.h).
//
// Iterations of spin loops that lead nowhere are no part of a class. A step that is known to be such a one, from what earlier executions
// have shown, is passed over: r takes it with the same probability as the walk. Executions with another one count 0: the class has others.
#pragma once

#include <cstdint>
#include <vector>

#include "explore/pair_chances.h"
#include "explore/partial_order.h"

namespace treadle {

class ClassWeight {
 public:
  explicit ClassWeight(const Schedule& base) : weak_(base.model != MemoryModel::Sc), order_(base.races, unused_), chances_(order_) {}

  /// Of an execution that chose uniformly among the alternatives, from the start, and recorded them. 0: not the one that counts.
  double of(const Trace& trace);

 private:
  struct Step {  // a decision
    std::uint32_t transition = none;
    std::uint32_t event = none;   // its visible one
    std::uint64_t iteration = 0;  // hash of the loop iteration its thread is in and of what that has read before; 0: none known
    bool goes_round = false;      // back to the start of a spin loop, behind an iteration that led nowhere
    bool first = true;            // of its transition
  };

  void lay_out(const Trace& trace);
  void lay_out_events(const Trace& trace);
  double log_weight(const Trace& trace);
  double log_ratio(const Trace& trace, std::uint32_t choice);
  bool passed_over(const Trace& trace, const Decision& decision, std::uint32_t choice) const;
  bool leads_nowhere(const Trace& trace, std::uint32_t choice, std::uint32_t step) const;
  void learn(const Trace& trace);

  bool weak_;
  FruitlessIterations unused_;
  PartialOrder order_;
  PairChances chances_;
  FruitlessIterations known_;  // from executions before: what one shows itself must not decide what it counts

  std::vector<Step> steps_;
  std::vector<std::vector<std::uint32_t>> own_;  // by thread: its decisions, flushes apart
  std::vector<std::size_t> passed_;              // by thread: so many of them are behind
  std::vector<std::uint64_t> loop_;              // scratch of lay_out_events()
};

}  // namespace treadle
