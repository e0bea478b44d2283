// SPDX-License-Identifier: Apache-2.0
// Do the expressions of a Trace say what the run has done? Compiled concolic execution keeps two books, values and expressions; this
// compares them. On in tests, to be had by `treadle replay --check-symbolic`.
#pragma once

#include <optional>
#include <string>

#include "trace/trace.h"

namespace treadle {

/// One sentence about the first thing that is wrong: a symbol that has another value than its event, a condition that was false, a write
/// that left something else than its expression.
std::optional<std::string> check_symbolic(const Trace& trace);

}  // namespace treadle
