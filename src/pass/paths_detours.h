// SPDX-License-Identifier: Apache-2.0
// Small side blocks (`if (x) m = y;`) that the optimiser makes branch-free, unless something is added to the number of the path in them. So
// that is chosen in front of the branch.
#pragma once

#include <llvm/IR/Instructions.h>

#include <vector>

#include "pass/paths_graph.h"

namespace treadle {

struct Detour {
  llvm::BranchInst* branch;
  bool if_true;  // the side block is where the branch goes when its condition holds
  const PathNode *from, *side;
  const PathOut *there, *back, *past;
};

std::vector<Detour> find_detours(const std::vector<PathNode>& nodes);

}  // namespace treadle
