// SPDX-License-Identifier: Apache-2.0
// Spin loops.
#pragma once

#include <cstddef>

namespace treadle {

void spin_read(const void* location, std::size_t size) noexcept;
void spin_wrote() noexcept;

}  // namespace treadle
