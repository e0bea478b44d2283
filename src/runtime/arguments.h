// SPDX-License-Identifier: Apache-2.0
// Other arguments without another start. A start takes longer than many a search, and where nothing that ran before main can have seen the
// arguments, the program stands at main as it would have with any others of the same number and lengths.
#pragma once

#include <cstdint>

namespace treadle {

/// When main would be called, and before the base image is saved: are they replaceable? `given`: as the kernel gave them.
void arguments_before_main(char** given) noexcept;

/// Texts that main was given. Who reads a number there reads what everybody knows: announced, it would be a step of nearly every main.
bool is_argument(std::uint64_t text) noexcept;

/// Between executions, when the host has others: from now on main, and whoever asks the kernel, is given those.
void take_arguments() noexcept;

}  // namespace treadle
