// SPDX-License-Identifier: Apache-2.0
// Which events of an execution have to do with its being one of several threads, and which of those tell what went wrong.
#pragma once

#include <cstdint>
#include <vector>

#include "finding/finding.h"
#include "trace/trace.h"

namespace treadle {

/// For each event: does it touch what several threads use, once there are several, or order them?
std::vector<bool> telling_events(const Trace& trace);

/// The events that tell() has a line for, in their order.
std::vector<std::uint64_t> events_of_story(const Trace& trace, const Finding& finding, std::size_t max_lines = 24);

}  // namespace treadle
