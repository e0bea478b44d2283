// SPDX-License-Identifier: Apache-2.0
// Which ways of its branches a symbolic build takes, when somebody asks (abi/branches.h).
#pragma once

namespace treadle {

/// `file`: where they are kept, or null. Before anything is mapped that has no place of its own.
void ways_start(const char* file) noexcept;

}  // namespace treadle
