// SPDX-License-Identifier: Apache-2.0
// What the table of expressions gets from the runtime.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "runtime/symbolic_table.h"

namespace treadle {

struct OwnTable {
  explicit OwnTable(std::uint32_t most = 1 << 16) : nodes(most), values(most), index(std::max(most * 8, 1u << 11)) {
    table.begin({nodes.data(), values.data(), index.data(), &age, most});
  }
  std::span<const TreadleExpression> expressions() const { return std::span(nodes).first(table.size()); }

  std::vector<TreadleExpression> nodes;
  std::vector<std::uint64_t> values, index;
  TableAge age{};
  ExpressionTable table;
};

}  // namespace treadle
