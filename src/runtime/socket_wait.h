// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace treadle {

/// SO_RCVTIMEO and SO_SNDTIMEO in nanoseconds; ~0: none.
std::uint64_t receive_timeout(int fd) noexcept;
std::uint64_t send_timeout(int fd) noexcept;

}  // namespace treadle
