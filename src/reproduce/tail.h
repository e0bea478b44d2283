// SPDX-License-Identifier: Apache-2.0
// What a thread may have run through behind the last thing that its stream tells: the rest of a path that it did not complete, and paths
// that leave nothing because there is only one.
#pragma once

#include <set>

#include "record/decode.h"

namespace treadle {

/// Blocks, and nodes behind calls as TREADLE_RETURNS_AT + node.
std::set<BlockId> blocks_behind(const PathTables& tables, const Tail& tail);

}  // namespace treadle
