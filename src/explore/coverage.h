// SPDX-License-Identifier: Apache-2.0
// What a search may claim in the end: never more than was done.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "explore/strategy.h"
#include "finding/finding.h"

namespace treadle {

/// "all schedules under SC for these inputs"; with races explored or ignored it says so.
std::string covered_schedules(const Schedule& schedule);

/// What covered_schedules() says, with a bound: "all schedules with at most 2 preemptions under …"
std::string with_at_most(std::string schedules, std::uint32_t preemptions);

/// What the executions of a search were like, as far as the verdict depends on it.
struct Tally {
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;  // of all of them
  std::uint64_t assumption_failed = 0;
  std::uint64_t step_limit = 0, time_limit = 0, memory_limit = 0;  // cut off
  std::uint64_t diverged = 0;                                      // a schedule made from an earlier execution could not be followed
  bool nondeterministic = false;                                   // two runs of one schedule differed
  bool weak_atomics = false;                                       // an atomic access weaker than seq_cst happened
  bool races = false;                                              // a data race happened
  bool opaque_asm = false;                                         // inline assembly that is not modelled happened
  bool asked_for_input = false;                                    // the program did

  bool assumptions_held = false;  // an execution was not left out by an assumption of the program

  void count(const Trace& trace);
  void add(const Tally& other);
  /// Whatever the program claims was claimed in no execution.
  bool vacuous() const { return assumption_failed > 0 && !assumptions_held; }
  std::uint64_t cut_off() const { return step_limit + time_limit + memory_limit; }
};

/// `stopped`: why the search ended before the strategy had no more, "Ctrl-C", or nothing.
Verdict conclude(const Strategy& strategy, const Schedule& schedule, const Tally& tally, const std::optional<std::string>& stopped,
                 bool found_something);

}  // namespace treadle
