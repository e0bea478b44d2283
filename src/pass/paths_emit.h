// SPDX-License-Identifier: Apache-2.0
// Instructions that record the paths of a function.
#pragma once

#include "pass/paths_graph.h"

namespace treadle {

/// `piece_hash` and `number` (of the function in its piece of the section) make its marks.
void emit_recording(const PathGraph& graph, std::uint64_t piece_hash, unsigned number);

}  // namespace treadle
