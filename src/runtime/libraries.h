// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace treadle {

/// The C and C++ libraries themselves, by the path of the loaded object: not the program's, nor any library of the user's.
bool is_system_library(const char* path) noexcept;

/// Does this code belong to one? Slow.
bool in_system_library(std::uint64_t pc) noexcept;

}  // namespace treadle
