// SPDX-License-Identifier: Apache-2.0
// Which block begins at an address, or which call has returned there (TREADLE_RETURNS_AT + node, abi/follow.h): from the section that
// `treadle cc --record=pt` leaves.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "record/tables.h"

namespace treadle {

class BlockMap {
 public:
  /// Adds the blocks of a binary whose addresses are shifted by `bias` in memory. False when it has none, or they are not in the tables.
  bool add(const std::string& binary, std::uint64_t bias, const PathTables& tables);

  const BlockId* find(std::uint64_t address) const {
    const auto found = blocks_.find(address);
    return found == blocks_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<std::uint64_t, BlockId> blocks_;
};

}  // namespace treadle
