// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/schedule.h"

namespace treadle {

/// A Schedule that has been replayed, and the binary it belongs to.
struct Witness {
  Schedule schedule;
  std::string program;  // path of the binary
  std::uint64_t binary_hash = 0;
  std::vector<std::string> arguments;
  bool operator==(const Witness&) const = default;
};

}  // namespace treadle
