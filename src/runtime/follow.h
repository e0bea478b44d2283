// SPDX-License-Identifier: Apache-2.0
// Leads threads along a recording (abi/follow.h). A thread that leaves its recorded way never moves again; what it has seen decides that,
// and nothing else, so to whoever chooses schedules it is a thread that blocks.
#pragma once

#include "abi/follow.h"
#include "runtime/world.h"

namespace treadle {

struct Followed {
  const TreadleFollowThread* way;
  std::uint64_t position;  // blocks entered as recorded
  std::uint64_t value;     // recorded values used
  std::uint64_t spun_at;   // position at which it last waited in a spin loop, + 1; 0: never
  std::uint64_t gate;      // gates passed
  bool returned;           // from the call with which the record ends
  bool over;               // it has gone as far as it may
};

extern __attribute__((visibility("hidden"))) const TreadleFollowHeader* g_recorded;  // null: nobody follows
inline bool following() noexcept { return __builtin_expect(g_recorded != nullptr, 0); }

/// Before constructors.
void follow_start(const char* file) noexcept;

/// A thread is created: which of the recorded ones is it?
void follow_thread(Thread& thread) noexcept;

/// A thread that follows announces its next step; it may be one too many.
void follow_step(Thread& thread, const Pending& what) noexcept;

/// The order on its core has another thread's turn first.
bool is_at_gate(const Thread& thread) noexcept;

/// Nobody can go on: is that how the recorded run ended?
bool stands_as_recorded() noexcept;

/// The input that this thread was given in the recorded run; false: none was recorded.
bool recorded_input(std::uint64_t& value) noexcept;

void follow_execution_end() noexcept;

}  // namespace treadle
