// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace treadle {

/// The C and C++ libraries themselves, by the path of the loaded object: not the program's, nor any library of the user's.
bool is_system_library(const char* path) noexcept;

}  // namespace treadle
