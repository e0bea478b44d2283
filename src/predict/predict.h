// SPDX-License-Identifier: Apache-2.0
// Everything that one trace implies: a pure function. What it returns has been thought through, not run.
#pragma once

#include <map>

#include "predict/race.h"
#include "predict/triples.h"
#include "trace/spinning.h"

namespace treadle {

/// Which executions a trace is taken to imply.
enum class Causality : std::uint8_t {
  Symbolic,  // reads may have other values, as long as every branch goes the same way
  Maximal,   // reads that something depends on keep their values: what every program that made this trace can do
  Over       // values do not matter: more than can happen (appendix A of the second seed)
};
const char* text_of(Causality kind);
const char* text_of(PredictionKind kind);  // "assertion", "race", "deadlock", "atomicity"

struct PredictOptions {
  std::vector<PredictionKind> kinds{PredictionKind::Assertion, PredictionKind::DataRace, PredictionKind::Deadlock,
                                    PredictionKind::Atomicity};
  MemoryModel model = MemoryModel::Sc;
  Races races = Races::Explore;  // as the trace was recorded
  Causality causal = Causality::Maximal;
  Inputs inputs = Inputs::Kept;          // Free: a prediction says what they have to be; not for assertions
  bool critical_sections = false;        // are meant to be atomic
  std::uint32_t context_bound = 0;       // assertions: only orders with so many switches; 0: all
  bool widen_bound = false;              // assertions: from 1 switch on, until the answer holds for any number
  std::uint32_t ways = most_of_a_group;  // to the same bug, of which one has to show it
  std::uint32_t ways_to_assertion = 1;
  std::vector<Spinning> spinning;  // deadlocks: only those in which one of these goes round for ever
  SolveLimit limit;
  MakeSolver make_solver = make_acyclic_solver;
  KeepAsking keep_asking = [] { return true; };

  bool wants(PredictionKind kind) const;
};

struct PredictStatistics {
  std::uint64_t events = 0, units = 0;
  std::uint64_t race_groups = 0, ring_groups = 0, regions = 0;
  TripleCounts triples;
  std::uint64_t queries = 0, constraints = 0;
};

struct Foreseen {
  std::vector<Prediction> found;
  std::map<PredictionKind, Coverage> coverage;  // of each kind that was asked about
  PredictStatistics statistics;
};

Foreseen predict(const Trace& trace, const PredictOptions& options);

}  // namespace treadle
