// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace treadle {

enum class Result : bool { Unused, Used };

/// The futex system call; a result or -errno, as the kernel returns it. `timeout_or_count` is what the operation makes of it.
long virtual_futex(std::uint32_t* word, int operation, std::uint32_t value, std::uint64_t timeout_or_count, std::uint32_t* second_word,
                   std::uint32_t third_value, Result result, std::uint64_t pc) noexcept;

}  // namespace treadle
