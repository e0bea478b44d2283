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
// Iterations of spin loops that lead nowhere are no part of a class: a class has schedules without them and with them. r inserts one where
// it is known from earlier executions to lead nowhere, all its steps at once, with the probability that the walk has of doing the same.
// Executions with another one (its steps apart, or seen for the first time) count 0.
//
// Where that leaves too few that count, a rough weight will have to do: as if iterations that lead nowhere had not been there, nor what the
// walk spent on them. Its mean is not the number of classes, but for two parts of a search it is about the same multiple of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "explore/loop_knowledge.h"
#include "explore/pair_chances.h"
#include "explore/partial_order.h"

namespace treadle {

/// Makes the schedule that of a probe: at random, but steps that hardly anything can be in the way of are likelier (abi/probe.h).
void make_probe(Schedule& schedule, std::uint64_t seed);

/// How likely the decision was, of a probe.
double probability_of(const Trace& trace, std::uint32_t choice);

/// Decisions as others know them: without the notes that tell which ones were likelier.
void without_favours(Trace& probe);

/// Of a probe: the inverse of its probability. On average the number of all schedules.
double schedules_behind(const Trace& trace);

class ClassWeight {
 public:
  explicit ClassWeight(const Schedule& base)
      : weak_(base.model != MemoryModel::Sc), order_(base.races, base.model, unused_), chances_(order_) {}

  struct Weight {
    double exact = 0;  // on average the number of classes; 0: one that does not count
    double rough = 0;
  };
  /// Of a probe without a prefix, with its alternatives recorded.
  Weight of(const Trace& trace);
  /// The same probe, in its order, without iterations that led nowhere.
  std::span<const Transition> transitions() const { return order_.transitions(); }

 private:
  struct Step {  // a decision
    std::uint32_t transition = none;
    std::uint32_t event = none;   // its visible one
    std::uint64_t iteration = 0;  // hash of the loop iteration its thread is in and of what that has read before; 0: none known
    bool begins = false;          // that iteration
    bool goes_round = false;      // back to the start of a spin loop, behind an iteration that led nowhere
    bool first = true;            // of its transition
  };
  /// What r may insert at some point.
  struct Inserted {
    double chance = 0;        // of all together
    bool taken = false;       // the decision there is the first of one
    std::uint32_t steps = 0;  // of that one
  };

  void lay_out(const Trace& trace);
  void lay_out_events(const Trace& trace);
  Weight log_weight(const Trace& trace);
  double rough_log_share(const Trace& trace, std::uint32_t choice) const;
  double log_share(const Trace& trace, std::uint32_t choice, double inserted);
  Inserted what_may_be_inserted(const Trace& trace, std::uint32_t choice);
  std::uint32_t steps_to_nowhere(const Trace& trace, std::uint32_t choice, std::uint32_t step) const;
  std::optional<std::uint64_t> value_at(const Trace& trace, std::uint32_t choice, std::uint64_t address, std::uint8_t size) const;
  bool is_left_out(const Trace& trace, std::uint32_t choice, std::uint32_t steps) const;
  void learn(const Trace& trace);

  bool weak_;
  FruitlessIterations unused_;
  PartialOrder order_;
  PairChances chances_;
  LoopKnowledge known_;  // from executions before: what one shows itself must not decide what it counts

  std::vector<Step> steps_;
  std::vector<std::vector<std::uint32_t>> own_;  // by thread: its decisions, flushes apart
  std::vector<std::size_t> passed_;              // by thread: so many of them are behind
  std::vector<char> not_ready_;                  // by process: has to go round its loop first
};

}  // namespace treadle
