// SPDX-License-Identifier: Apache-2.0
// The code that is loaded: which of it has hooks, and which address a truncated pc stands for.
#pragma once

#include <cstdint>

namespace treadle {

constexpr std::uint64_t kLowPcBits = 0xffffff;

/// Before constructors run, and whenever libraries have come or gone.
void note_code() noexcept;

/// The pc with these low bits: exact while the code of the object that `near` lies in is smaller than 16 MiB.
std::uint64_t full_pc(std::uint64_t low_bits, std::uint64_t near) noexcept;

/// Is this pc in code that was compiled by us?
bool has_hooks(std::uint64_t pc) noexcept;

/// Is it in code of the program's own, not of the runtime? Or there in a function that touches memory where the program says (memory.h)?
/// For signal handlers, too: libraries that came a moment ago are not known.
bool is_of_the_program(std::uint64_t pc) noexcept;
bool touches_memory(std::uint64_t pc) noexcept;

}  // namespace treadle
