// SPDX-License-Identifier: Apache-2.0
// Virtual time. It starts at the same moment in every execution, advances a little with each reading, and jumps when a sleep or a time-out
// is taken. Nanoseconds here are those of CLOCK_MONOTONIC; CLOCK_REALTIME is a constant away. It does not advance with steps: two of them
// that have nothing to do with each other would then show their order in what a clock says afterwards.
#pragma once

#include <time.h>

#include <cstdint>

#include "runtime/world.h"

namespace treadle {

struct TimeState {
  std::uint64_t waited;    // nanoseconds of sleeps and time-outs, and when it all began
  std::uint64_t readings;  // of any clock
  std::uint64_t reading;   // nanoseconds that they took
};

/// Now, without reading it on the program's behalf.
std::uint64_t virtual_now() noexcept;

/// The moment `absolute` on `clock`, in virtual nanoseconds.
std::uint64_t virtual_deadline(clockid_t clock, const timespec* absolute) noexcept;

/// A wait lasted until then; never goes back.
void advance_clock_to(std::uint64_t nanoseconds) noexcept;

/// A sleep of the program: one visible operation.
void virtual_sleep(std::uint64_t nanoseconds, std::uint64_t pc) noexcept;

/// The next number of the running thread's random stream, which the job's seed and the thread's name choose.
std::uint64_t program_random() noexcept;
void fill_randomly(void* to, std::size_t bytes) noexcept;
/// The running thread creates `child`, which draws from streams of its own.
void inherit_random(Thread& child) noexcept;

}  // namespace treadle
