// SPDX-License-Identifier: Apache-2.0
// The hooks for words of 32 bits, for atomics that the runtime makes on the program's behalf: `pc` says on whose.
#pragma once

#include <cstdint>

namespace treadle {

std::uint32_t atomic_load(const std::uint32_t* word, int order, std::uint64_t pc) noexcept;
/// -> what was there. `operation`: TreadleRmw.
std::uint32_t atomic_rmw(std::uint32_t* word, std::uint32_t operand, int operation, int order, std::uint64_t pc) noexcept;
std::uint32_t atomic_cas(std::uint32_t* word, std::uint32_t expected, std::uint32_t desired, int success, int failure,
                         std::uint64_t pc) noexcept;

}  // namespace treadle
