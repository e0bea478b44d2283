// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <string>

namespace treadle {

/// How much of a path tree is shown.
struct PathTreeShown {
  std::size_t levels = std::numeric_limits<std::size_t>::max();  // what lies deeper is only counted
  std::string thread;                                            // only the turns of this one; empty: of all
  bool failing = false;                                          // only paths that show a finding
  bool every_turn = false;                                       // also turns that all paths behind the one before make alike
};

}  // namespace treadle
