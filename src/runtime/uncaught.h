// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace treadle {

/// Type and what() of the exception that is being handled (an uncaught one counts as handled by std::terminate). False: there is none.
bool describe_exception(char* text, std::size_t capacity) noexcept;

/// Once per process, before constructors run: std::terminate comes to us instead of libstdc++'s message and abort().
void uncaught_start() noexcept;

/// failure.cpp: ends the execution as uncaught exception, or as std::terminate without one.
[[noreturn]] void fail_terminated(std::uint64_t pc) noexcept;

}  // namespace treadle
