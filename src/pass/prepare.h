// SPDX-License-Identifier: Apache-2.0
// What happens to the program before hooks go in: locals are promoted to registers and small functions inlined, so that what is no shared
// memory stops looking like it. Nothing else may run here. The usual clean-up passes are built on the licence to merge, drop and
// speculate plain accesses, which is exactly what must not happen to a program whose races we look for:
//  - simplifycfg turns `*p = 1; if (c) *p = 2;` into unconditional stores, which other threads can see;
//  - early-cse and instcombine merge repeated loads and delete a `while (!flag);`;
//  - even SROA deletes the load of `int unused = shared;` together with the local it fills, and reads both sides of
//    `*(c ? &local : &shared)`. The first is prevented by an anchor after each load, the second by calling such loads volatile meanwhile.
#pragma once

#include <llvm/IR/PassManager.h>

namespace treadle {

/// False for functions that stay as they are: naked, resolvers (they run before relocation), or excluded by attribute.
bool is_instrumented(const llvm::Function& function);

/// Marks the functions and anchors their loads.
struct BeginPreparation : llvm::PassInfoMixin<BeginPreparation> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

/// Promotes locals of one function.
struct PromoteLocals : llvm::PassInfoMixin<PromoteLocals> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

/// Takes anchors and marks back.
void end_preparation(llvm::Function& function);

}  // namespace treadle
