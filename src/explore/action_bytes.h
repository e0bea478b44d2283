// SPDX-License-Identifier: Apache-2.0
// What searches with partial order reduction keep between two sittings, as bytes: the parts that they have in common.
#pragma once

#include "base/bytes.h"
#include "explore/partial_order.h"
#include "explore/strategy.h"
#include "trace/codec.h"

namespace treadle {

void put(ByteWriter& out, const Action& action);
Action get_action(ByteReader& in);

/// What every such search has counted and learned so far.
void put_progress(ByteWriter& out, std::uint64_t executions, const Counts& counts, const std::vector<ThreadName>& threads,
                  const FruitlessIterations& fruitless);
void get_progress(ByteReader& in, std::uint64_t& executions, Counts& counts, std::vector<ThreadName>& threads,
                  FruitlessIterations& fruitless);

}  // namespace treadle
