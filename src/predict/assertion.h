// SPDX-License-Identifier: Apache-2.0
// Which assertions a trace can break: every assertion, abort, null pointer, access outside a block and division by zero that a thread
// passed by on its way, asked for each: can its condition be false when the thread gets there?
//
// Answered for all orders of the trace's steps in which every thread goes the way it went (the concurrent trace program of Wang, Kundu,
// Ganai and Gupta, FM 2009), or those with few switches between threads.
#pragma once

#include "predict/prediction.h"
#include "solve/trace_model.h"

namespace treadle {

struct AssertionOptions {
  MemoryModel model = MemoryModel::Sc;
  Races races = Races::Explore;
  CausalKind kind = CausalKind::Symbolic;
  std::uint32_t context_bound = 0;  // 0: any number of switches
  bool widen_bound = false;         // from 1 on, until the answer holds for any number
  SolveLimit limit;                 // for each question
  MakeSolver make_solver = make_acyclic_solver;
  std::uint32_t ways = 1;  // to the same failure, of which one has to show it
};

/// A place that fails is told once, at the first note of it that can fail, and further `ways` to the same as others of its group.
Predictions predict_assertions(const Trace& trace, const AssertionOptions& options);

}  // namespace treadle
