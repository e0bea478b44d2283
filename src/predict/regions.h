// SPDX-License-Identifier: Apache-2.0
// What is meant to be atomic: between treadle_atomic_begin() and treadle_atomic_end() (which the pass puts around functions that are asked
// for), and critical sections when these are asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace treadle {

struct Region {
  std::uint8_t thread = 0;
  std::uint32_t begin = 0, end = 0;  // events; `end` is that of the trace if the thread never left it
};

/// In the order of their beginnings. One in another counts as part of that one, except for critical sections.
std::vector<Region> atomic_regions(const Trace& trace, bool critical_sections);

}  // namespace treadle
