// SPDX-License-Identifier: Apache-2.0
// Where an answer leads, as far as it says: the turns that threads will have made, and the one that a thread will not make. What goes on
// from two beginnings that part cannot be the same path; so both can be executed at once.
#pragma once

#include <optional>

#include "explore/path_tree.h"

namespace treadle {

struct Beginning {
  Path ways;                                                 // by thread
  std::optional<std::pair<std::uint32_t, PathNode>> not_to;  // that thread does not go there behind its way
};

/// False: not known to.
bool part(const Beginning& a, const Beginning& b);

}  // namespace treadle
