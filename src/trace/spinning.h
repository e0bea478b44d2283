// SPDX-License-Identifier: Apache-2.0
// A thread that is followed into an iteration of a spin loop that led nowhere, and no further.
#pragma once

#include <cstdint>

namespace treadle {

struct Spinning {
  std::uint32_t thread = 0;
  std::uint64_t pc = 0;      // where it goes round
  std::uint32_t first = 0;   // the decision with which the iteration begins
  std::uint32_t behind = 0;  // the event behind it
};

}  // namespace treadle
