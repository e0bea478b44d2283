// SPDX-License-Identifier: Apache-2.0
// The branches that a symbolic build says it has (abi/branches.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/branches.h"
#include "finding/symbols.h"

namespace treadle {

/// One direction of a branch.
struct BranchWay {
  std::string file, function;
  std::uint32_t line = 0, column = 0;
  std::uint32_t ordinal = 0;  // of several at that place
  std::uint32_t to_line = 0;  // 0: not known
  TreadleWay way = TREADLE_WAY_FALSE;
  std::int64_t value = 0;     // of a case
  std::uint64_t address = 0;  // of the byte that tells whether it was taken
};

/// Of a section at that address in memory. Foreign bytes: what does not make sense, and all behind it, is left out.
std::vector<BranchWay> branches_in_section(std::string_view bytes, std::uint64_t address);

std::vector<BranchWay> branches_in(std::span<const LoadedObject> objects);

}  // namespace treadle
