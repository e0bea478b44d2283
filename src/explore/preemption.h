// SPDX-License-Identifier: Apache-2.0
// What a preemption is: another thread moves although the one that moved last could have gone on (Musuvathi and Qadeer 2007).
//
// A thread can go on when its next operation can take effect. One that is blocked, has finished, watches a location in a spin loop or could
// only let its wait time out leaves the processor by itself. Stores that reach memory (TSO, PSO) are no moves of a thread: they cost
// nothing, and the thread that moved before them is still the running one. A thread that waits for its own stores cannot go on meanwhile.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace treadle {

/// The thread that moved last before a decision.
struct Running {
  ThreadId thread{};
  bool can_go_on = false;

  bool preempted_by(const Decision& decision) const {
    return can_go_on && decision.thread != thread && decision.kind != DecisionKind::Flush;
  }
};

/// All decisions that were possible at a choice, the one taken included; empty when they were not recorded.
std::span<const Decision> alternatives_at(const Trace& trace, std::size_t at);

/// Before decision number `at`. Without recorded choices nothing is known to be able to go on.
Running running_before(const Trace& trace, std::size_t at);

/// How many preemptions there were before each decision; one entry more than decisions.
std::vector<std::uint32_t> preemptions_before(const Trace& trace);

}  // namespace treadle
