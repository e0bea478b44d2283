// SPDX-License-Identifier: Apache-2.0
// What a program asks of Treadle or tells it: inputs, assumptions, observations, atomic regions. The names of three traditions (treadle_*,
// SV-COMP's
// __VERIFIER_*, KLEE's klee_*) stand in a file each; all are weak, so that a program's own definitions win.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/world.h"

#define TREADLE_WEAK __attribute__((weak))

namespace treadle {

/// The next input of this thread: from the job if it has a value for it, else 0 or what is nearest to it, or from the seed
/// when the schedule is. Without a host from a fixed seed.
std::uint64_t next_input(const char* name, unsigned bytes, std::uint64_t pc) noexcept;

/// The same with another value when nobody says which.
std::uint64_t next_input_or(const char* name, unsigned bytes, std::uint64_t otherwise, std::uint64_t pc) noexcept;

/// Likewise, between two bounds, both included.
std::uint64_t next_input_between(const char* name, std::int64_t lowest, std::int64_t highest, std::uint64_t pc) noexcept;

/// The same as results of functions that return an integer of `bits` bits: their callers get the symbol, too.
std::uint64_t returned_input(const char* name, unsigned bytes, std::uint64_t pc) noexcept;
std::uint64_t returned_input_between(const char* name, std::int64_t lowest, std::int64_t highest, unsigned bits, std::uint64_t pc) noexcept;

/// The same for results that have no model.
std::uint64_t pinned_input(const char* name, unsigned bytes, std::uint64_t pc) noexcept;

/// The execution does not count. Without a host the program ends, with status 0.
[[noreturn]] void assumption_fails(std::uint64_t pc) noexcept;

/// reach_error and its kin.
[[noreturn]] void error_is_reached(const char* text, std::uint64_t pc) noexcept;

/// The same text is kept once per execution. -> offset in the text region
std::uint32_t keep_name(const char* name, std::size_t length) noexcept;

}  // namespace treadle
