// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace treadle {

/// fcntl(fd, F_OFD_SETLKW, argument), without blocking the process. (Locks of F_SETLKW belong to the whole process: its threads never wait
/// for each other.)
int lock_range(int fd, long argument, std::uint64_t pc) noexcept;

}  // namespace treadle
