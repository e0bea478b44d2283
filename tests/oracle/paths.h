// SPDX-License-Identifier: Apache-2.0
// The paths of a program over all its inputs and schedules, by brute force.
//
// A thread's path is how its conditions came out, one after the other: branches, rounds of loops, whether an assertion held, whether a
// compare-exchange or an attempt succeeded (also when nothing depends on it), whether a wait timed out, what came of a wait on a futex,
// what sem_getvalue said, and how many were woken where that is asked for. The path of an execution is that of all its threads. Values that
// decide none of these are no part of it.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>

#include "machine.h"
#include "program.h"

namespace oracle {

/// By thread, one character for each element: '0', '1', or the count of a semaphore.
using Path = std::array<std::string, kMaxThreads>;
std::string to_string(const Path& path);

struct Paths {
  std::set<Path> completed;
  std::set<Path> stuck;                  // as far as the threads came, and where they stand
  std::set<Path> failed;                 // likewise, when an assertion failed
  std::set<std::string> failing;         // assertions, by label (emit_c.h)
  bool complete = true;                  // no limit was hit, and no lock is misused
  std::uint64_t states = 0, inputs = 0;  // combinations of their values
};

Paths paths_of(const Program& program, Model model, std::uint64_t most_states = 500'000);

/// Of those that end early the longest: none is the beginning, thread by thread, of another one.
std::set<Path> without_beginnings(const std::set<Path>& paths);

}  // namespace oracle
