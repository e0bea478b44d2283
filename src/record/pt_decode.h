// SPDX-License-Identifier: Apache-2.0
// From a processor's trace to the blocks of each thread: libipt follows the instructions, the side band says whose they were, the block map
// which blocks they begin.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "record/block_map.h"
#include "record/pt_side_band.h"

namespace treadle {

/// An uninterrupted stretch of one thread on one core.
struct PtStretch {
  std::uint32_t core = 0, tid = 0;
  std::uint64_t time = 0;
  std::vector<BlockId> blocks;
};

struct PtFlow {
  std::map<std::uint32_t, std::vector<BlockId>> threads;  // by tid, in order of time; as far as the trace is whole
  std::vector<std::vector<PtStretch>> cores;              // each in its own order: what ran on one core is ordered, whoever ran it
  std::vector<std::string> losses;                        // where packets are missing
  std::uint64_t whole_until = UINT64_MAX;                 // no stretch that began by then is missing, or a part of it
};

/// `packets`: of each core.
Result<PtFlow> decode_pt(const PtSideBand& side_band, const std::vector<std::string_view>& packets, const BlockMap& map);

}  // namespace treadle
