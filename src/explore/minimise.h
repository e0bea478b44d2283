// SPDX-License-Identifier: Apache-2.0
// From a failing schedule to one that is easier to follow and still fails in the same way: fewer preemptions, then fewer switches between
// threads, then fewer steps.
//
// Greedy: the schedule is cut into blocks, runs of one thread's decisions, and blocks are left out, put off to where their thread moves
// next, or fetched forward to where it moved last, as long as that helps. A schedule that a change has made impossible simply does not
// count. Real runs decide; at tens of thousands a second there is no need to be clever.
#pragma once

#include <compare>
#include <cstdint>

#include "explore/runner.h"
#include "finding/finding.h"
#include "finding/symbols.h"

namespace treadle {

/// How hard an execution is to follow.
struct Effort {
  std::uint32_t preemptions = 0, switches = 0, steps = 0;
  auto operator<=>(const Effort&) const = default;
};
Effort effort_of(const Trace& trace);

struct Minimised {
  Schedule schedule;  // exact decisions; the one given when nothing easier was found
  Effort before, after;
  std::uint64_t runs = 0;
};

struct MinimiseLimits {
  std::uint64_t runs = 20'000;
  double seconds = 2;
};

/// `finding` has been seen to come of `schedule`. A Problem: it does not any more, or the program cannot be run.
Result<Minimised> minimise(const Finding& finding, const Schedule& schedule, Runner& program, const Symbols& symbols, bool leaks,
                           const MinimiseLimits& limits = {});

}  // namespace treadle
