// SPDX-License-Identifier: Apache-2.0
// Made-up traces with the shape of real ones, and the questions that Treadle asks about them, for measuring solvers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "solve/order_solver.h"

namespace treadle::bench {

struct MadeUpTrace {
  enum class Kind : std::uint8_t { Read, Write, Acquire, Release };
  struct Event {
    std::uint32_t thread;
    Kind kind;
    std::uint32_t object;  // a variable or a lock
    std::uint32_t value;   // read or written
  };
  std::vector<Event> events;
  std::uint32_t threads;
  std::uint32_t variables;
  std::uint32_t locks;
};

/// Threads take random steps; some accesses stand in critical sections. Few values, so that they repeat.
MadeUpTrace make_trace(std::uint32_t events, std::uint32_t seed);

/// As racey: a few cells that all threads read and write all the time; `values` is how many values there are.
MadeUpTrace make_racey(std::uint32_t iterations, std::uint32_t values, std::uint32_t seed);

struct Questions {
  std::vector<std::vector<Literal>> assumptions;
  std::uint64_t clauses = 0;
  std::uint64_t candidates = 0;
};

/// "Can this read get that value, while what it depends on keeps its values?" for every read and value, on one encoding.
Questions ask_for_other_values(const MadeUpTrace& trace, OrderSolver& solver);

/// "Which order explains all these reads?": one question, and nothing known about the order of different threads.
Questions ask_for_an_explanation(const MadeUpTrace& trace, OrderSolver& solver);

}  // namespace treadle::bench
