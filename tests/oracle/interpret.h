// SPDX-License-Identifier: Apache-2.0
// All outcomes of a program under a memory model, by search through its complete states; each state is visited once.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "machine.h"
#include "program.h"

namespace oracle {

using Outcome = std::vector<int>;  // in the order of observed_names

struct Interpretation {
  std::set<Outcome> outcomes;  // of the executions in which main reached its end
  bool deadlocks = false;      // some execution gets stuck (lock cycle, lost wake-up, endless spinning)
  bool fails = false;          // some assertion
  bool misuses = false;        // some execution misuses a lock; the rest then says nothing
  bool complete = true;        // no limit was hit
  std::uint64_t states = 0;
  std::uint64_t executions = 0;  // paths through the states: what a search without reduction runs; saturates at 2^62
};

Interpretation interpret(const Program& program, MachineOptions options, std::uint64_t most_states = 2'000'000);
Interpretation interpret(const Program& program, Model model);

/// Name to value, as the engine reports it.
std::map<std::string, int> named(const Program& program, const Outcome& outcome);
std::string to_string(const std::map<std::string, int>& outcome);

}  // namespace oracle
