// SPDX-License-Identifier: Apache-2.0
// How a program leaves: exit(), main's return, quick_exit, and what was registered to run then.
#pragma once

#include <cstdint>

namespace treadle {

/// exit() on the running thread. Also, with status 0, for a main that has left with pthread_exit and outlasted all others.
[[noreturn]] void leave_program(int status, std::uint64_t pc) noexcept;

/// Once per process, before constructors run.
void exit_start() noexcept;

/// Once per process, when all constructors have run.
void exit_before_main() noexcept;

/// A library was loaded at run time: its destructors belong to the exit too.
void exit_sees_new_libraries() noexcept;

}  // namespace treadle
