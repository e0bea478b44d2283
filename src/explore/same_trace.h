// SPDX-License-Identifier: Apache-2.0
// Is a rehearsed execution (rehearsal.h) what the program then really did?
#pragma once

#include <optional>
#include <string>

#include "trace/trace.h"

namespace treadle {

/// One sentence about the first place in which they differ.
std::optional<std::string> first_difference(const Trace& rehearsed, const Trace& run);

}  // namespace treadle
