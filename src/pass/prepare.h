// SPDX-License-Identifier: Apache-2.0
// What happens to the program before hooks go in: locals are promoted to registers and small functions inlined, so that what is no shared
// memory stops looking like it. Nothing else may run here. The usual clean-up passes are built on the licence to merge, drop and
// speculate plain accesses, which is exactly what must not happen to a program whose races we look for:
//  - simplifycfg turns `*p = 1; if (c) *p = 2;` into unconditional stores, which other threads can see;
//  - early-cse merges repeated loads, so that a loop on a flag looks at it once;
//  - even SROA reads both sides of `*(c ? &local : &shared)`: such loads are called volatile while it runs.
// SROA and the inliner do not delete a load whose value is no longer used (tests/ir/kept.c holds them to it).
#pragma once

#include <llvm/IR/PassManager.h>

namespace treadle {

/// False for functions that stay as they are: naked, resolvers (they run before relocation), or excluded by attribute.
bool is_instrumented(const llvm::Function& function);

/// Marks the functions to be instrumented.
struct BeginPreparation : llvm::PassInfoMixin<BeginPreparation> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

/// Promotes locals of one function.
struct PromoteLocals : llvm::PassInfoMixin<PromoteLocals> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

/// Takes all marks back.
void end_preparation(llvm::Function& function);

}  // namespace treadle
