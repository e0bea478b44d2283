// SPDX-License-Identifier: Apache-2.0
// What has to be known besides the packets of a processor's trace: which code was where, and which thread ran on which core when. In a
// recording: `pt` (this), and `pt-N` with the packets of core N.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace treadle {

struct PtSideBand {
  /// Code in memory: a part of a file.
  struct Code {
    std::string path;
    std::uint64_t offset = 0, size = 0, address = 0;
    auto operator<=>(const Code&) const = default;
  };
  /// From this time on the core runs this thread; 0: somebody else's.
  struct Switch {
    std::uint32_t core = 0, tid = 0;
    std::uint64_t time = 0;
    auto operator<=>(const Switch&) const = default;
  };
  std::uint32_t cores = 0;
  std::vector<Code> code;
  std::vector<Switch> switches;      // of each core in order of time
  std::vector<std::uint64_t> bytes;  // of each core's packets: `pt-N` is that long, or something is missing
  auto operator<=>(const PtSideBand&) const = default;
};

std::string encode(const PtSideBand& side_band);
Result<PtSideBand> decode_side_band(std::string_view bytes, const std::string& name);

}  // namespace treadle
