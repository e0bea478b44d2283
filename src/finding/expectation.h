// SPDX-License-Identifier: Apache-2.0
// What a test program prints when an expectation does not hold, read back: GoogleTest's "file:line: Failure", Catch2's
// "file:line: FAILED:", and the lines that follow.
#pragma once

#include <string>
#include <string_view>

#include "trace/trace.h"

namespace treadle {

struct FailedExpectation {
  std::string file{};  // empty: the framework does not know
  unsigned line = 0;
  std::string message{};  // on one line
};

/// Did the program say by its exit status that it failed, where that matters?
bool has_failing_status(const Trace& trace);

/// The first one in the text. Without any, the last line that says something is the message.
FailedExpectation failed_expectation(std::string_view printed);

}  // namespace treadle
