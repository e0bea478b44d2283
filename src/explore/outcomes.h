// SPDX-License-Identifier: Apache-2.0
// The distinct combinations of values that completed executions observed (treadle_observe).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "trace/trace.h"

namespace treadle {

using Outcome = std::map<std::string, std::int64_t>;

/// An execution that did not complete observed nothing: a deadlock, a crash or a failed assumption is no outcome.
std::optional<Outcome> outcome_of(const Trace& trace);

}  // namespace treadle
