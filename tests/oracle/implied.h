// SPDX-License-Identifier: Apache-2.0
// What one execution of a program implies, by brute force: everything that can happen while each thread goes the way it went, as far as it
// gets. What a prediction from that execution must find at least.
//
// A thread's way is its operations with their results (did the attempt succeed, did the wait time out) and how the conditions in between
// came out. Values that were read may differ as long as the conditions come out the same. A thread for which one comes out otherwise stands
// still there; what it did up to there counts. An operation that would have another result is not done at all.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "machine.h"
#include "program.h"

namespace oracle {

struct Implied {
  std::set<std::string> failing;  // assertions, by label (emit_c.h)
  std::set<int> racing;           // plain variables that two threads are about to access, one of them to write
  bool ring = false;              // of mutexes: each of some threads waits for one that the next one holds
  bool stuck = false;             // nobody can go on, and nobody spins
  bool complete = true;           // no limit was hit
  std::uint64_t states = 0;
};

enum class Reads { Free, AsSeen };  // AsSeen: every read gets the value it got; but for the one right before what fails

/// `run` is an execution from the start. Throws std::invalid_argument when it is none.
Implied implied_by(const Program& program, MachineOptions options, const std::vector<Move>& run, Reads reads = Reads::Free,
                   std::uint64_t most_states = 500'000);

/// Of all executions: what no prediction may go beyond.
Implied possible(const Program& program, MachineOptions options, std::uint64_t most_states = 2'000'000);

}  // namespace oracle
