// SPDX-License-Identifier: Apache-2.0
// What a trace implies though it did not happen in it: another order of its steps that fails. It has been thought through, not run; whoever
// reports it replays it first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "solve/order_solver.h"
#include "solve/units.h"
#include "trace/trace.h"

namespace treadle {

enum class PredictionKind : std::uint8_t { Assertion, DataRace, Deadlock, Atomicity };

/// So many ways to the same bug are found, in case that some do not show it, unless somebody asks for more.
constexpr std::uint32_t most_of_a_group = 3;

struct Prediction {
  PredictionKind kind = PredictionKind::Assertion;
  TreadleGuarded guarded = TREADLE_GUARDS_NOTHING;  // an Assertion: what fails there
  std::uint32_t note = nothing;                     // an Assertion: the note of the trace whose condition will not hold
  std::vector<std::uint32_t> events;                // of the trace, that it is about: the accesses that meet, the operations that wait
  std::vector<std::pair<std::uint32_t, std::uint64_t>> spinning{};  // a Deadlock: threads that go round a loop for ever, and where
  std::uint64_t pc = 0;                                             // where it fails
  std::uint32_t group = 0;          // of its kind: predictions of one group are the same bug, and one that shows is enough
  std::vector<UnitId> units;        // the failing order, up to the failure; numbers as units_of() gives them
  std::vector<Decision> decisions;  // the same for a Schedule
  GivenInputs inputs;               // likewise, where they are free
};

/// What answers the questions: the fast solver, or another one to compare it with.
using MakeSolver = std::unique_ptr<OrderSolver> (*)();

/// What stands between "nothing found" and "there is nothing".
struct Coverage {
  bool complete = true;             // every question was answered, for every order of the trace's steps
  std::uint32_t context_bound = 0;  // not 0: only orders with so many switches were looked at
  std::uint64_t questions = 0;
  std::uint64_t unanswered = 0;  // the solver ran out of time
  std::string limits;            // what of the trace has no model; empty: nothing
};

struct Predictions {
  std::vector<Prediction> found;
  Coverage coverage;
};

}  // namespace treadle
