// SPDX-License-Identifier: Apache-2.0
// How the runtime comes to life inside the program, and what it does when the program crashes.
#pragma once

#include <cstdint>

namespace treadle {

/// Before any execution could start: tells the host one sentence and leaves the process.
[[noreturn]] void refuse(const char* sentence) noexcept;

/// From a thread of the program to the loop below, or out of the process when it was made for this one execution.
[[noreturn]] void return_to_controller() noexcept;

/// The loop that serves the host; never returns.
[[noreturn]] void serve_jobs() noexcept;

}  // namespace treadle
