// SPDX-License-Identifier: Apache-2.0
// What a test prints, kept while its exit status matters: when it fails, the expectation that did not hold is on standard output and
// nowhere else. It is there for one execution, and shown at its end to whoever asked to see output.
#pragma once

#include <cstddef>

namespace treadle {

/// Standard output goes to a file of ours, which is empty.
void output_execution_begin() noexcept;

void output_execution_end() noexcept;

/// From the line that says where an expectation failed, in the words of GoogleTest or Catch2; without one the end of it.
void what_was_printed(char* text, std::size_t bytes) noexcept;

}  // namespace treadle
