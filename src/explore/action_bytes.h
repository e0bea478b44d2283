// SPDX-License-Identifier: Apache-2.0
// What searches with partial order reduction keep between two sittings, as bytes: the parts that they have in common.
#pragma once

#include "base/bytes.h"
#include "explore/partial_order.h"
#include "trace/codec.h"

namespace treadle {

void put(ByteWriter& out, const Action& action);
Action get_action(ByteReader& in);

void put(ByteWriter& out, const FruitlessIterations& fruitless);
FruitlessIterations get_fruitless(ByteReader& in);

}  // namespace treadle
