// SPDX-License-Identifier: Apache-2.0
// Two other ways to see which blocks run: a map from addresses to blocks, for traces that a processor makes, and calls, for tests.
#pragma once

#include "pass/paths_graph.h"

namespace treadle {

/// Puts a one-byte nop at the head of each block and behind each call that ends a path, and its address next to the number of the block (or
/// TREADLE_RETURNS_AT + node) into a section (abi/paths.h). Inline assembly
/// with side effects is neither moved nor made conditional, and what duplicates it writes another entry: the map is exact.
void map_blocks(const PathGraph& graph, std::uint64_t piece_hash, unsigned number);

/// Calls __treadle_block_runs(hash, function, block) at the head of each block.
void announce_blocks(const PathGraph& graph, std::uint64_t piece_hash, unsigned number);

/// The same for nodes that go on behind a call, under the number TREADLE_RETURNS_AT + node.
void announce_returns(const PathGraph& graph, std::uint64_t piece_hash, unsigned number);

}  // namespace treadle
