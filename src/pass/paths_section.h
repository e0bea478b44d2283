// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/ArrayRef.h>

#include "pass/paths_graph.h"

namespace treadle {

/// Leaves the graphs in the binary (abi/paths.h); returns the hash of the piece.
std::uint64_t embed_paths(llvm::Module& module, llvm::ArrayRef<PathGraph> graphs);

}  // namespace treadle
