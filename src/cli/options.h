// SPDX-License-Identifier: Apache-2.0
// What the user asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/test_program.h"
#include "explore/budget.h"
#include "explore/strategies.h"
#include "predict/predict.h"
#include "report/path_tree_shown.h"
#include "subject/subject.h"

namespace treadle {

struct Options {
  std::vector<std::string> files;      // program, sources, witness: what the subcommand takes
  std::vector<std::string> arguments;  // after "--", for the program
  std::string compiler_flags;
  bool symbolic = false;    // sources become a symbolic build
  bool all_inputs = false;  // check: the program asks for some, and nobody has said which it shall have

  std::string strategy{strategies().front().name};
  bool strategy_chosen = false;  // by the user
  bool has_budget = false;       // --budget, which leaves the choice to us
  Schedule schedule;             // model, races, seed, spurious wake-ups
  Budget budget;
  std::optional<std::uint32_t> depth;
  bool self_check = false;
  bool ask_predictor = false;  // check: each execution is asked what it implies
  bool stop_at_first = false;
  bool minimise = true;
  bool outcomes = false;
  bool coverage = false;
  Tests tests = Tests::Detect;
  std::string cases;  // a file of command lines, each a test; empty for none
  bool leaks = false;
  std::uint64_t guard_every = 100;
  unsigned jobs = 1;
  std::string resume;            // folder, empty for none
  std::string keep;              // folder for all executions, empty for none
  double checkpoint_every = 10;  // seconds

  SubjectOptions subject;  // carrier, limits of a run, stdin, output
  std::string json;        // file, "-" for stdout, empty for none
  std::string sarif, junit, html, witness_yaml;
  std::string out = ".treadle";

  PredictOptions predict;           // kinds, model of causality, atomic regions
  std::optional<Causality> causal;  // as asked for
  std::string context_bound;        // a number, "auto", or empty
  std::string atomic_functions;     // a pattern, or empty

  bool gdb = false, step = false;  // replay
  std::string save_trace;
  std::string dot;
  std::string to;             // minimise
  std::string dependence_at;  // show: "FILE:LINE"
  bool paths = false;         // show: the path tree of a result
  PathTreeShown tree;

  std::string recording;  // record: the folder; empty for one of the program's name
  std::uint64_t until_fails = 1;
  bool emulate_pt = false, intel_pt = false;
  bool core_order = true;     // reproduce: the order on each core is used
  bool model_chosen = false;  // reproduce: by the user
  double hang_after = 0;      // seconds; 0: never
  double last = 0;            // seconds to keep; 0: everything
  std::size_t lines = 40;     // show: of each thread of a recording; 0: all
};

}  // namespace treadle
