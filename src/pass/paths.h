// SPDX-License-Identifier: Apache-2.0
// `treadle cc --record`: in the place of hooks, every function records its paths. The program is prepared exactly as for checking, and
// blocks are counted at the same moment: block 7 of a function is the same block in both builds (docs/decisions/0008-recorded-blocks.md).
#pragma once

#include <llvm/IR/PassManager.h>

namespace treadle {

/// What is to be known about a run.
struct WhatToRecord {
  bool paths = true;      // numbers of paths, in streams of the program's own
  bool map = false;       // where blocks begin
  bool announce = false;  // calls: blocks say that they are entered
  bool returns = false;   // ... and what stands behind a call that ends a path, too (abi/follow.h)
};

struct RecordPaths : llvm::PassInfoMixin<RecordPaths> {
  explicit RecordPaths(WhatToRecord wanted) : what(wanted) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
  WhatToRecord what;
};

}  // namespace treadle
