// SPDX-License-Identifier: Apache-2.0
// The pass itself: shared accesses of every function become hooks, loops that may spin get theirs, and the result is verified.
#pragma once

#include <llvm/IR/PassManager.h>

namespace treadle {

struct Instrument : llvm::PassInfoMixin<Instrument> {
  bool is_symbolic = false;  // expressions too

  explicit Instrument(bool symbolic) : is_symbolic(symbolic) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

/// Stops the compiler when the module is broken. LLVM is built without assertions, so that would go unnoticed until the program misbehaves.
void verify(llvm::Module& module);

/// Takes back what is no longer true of functions that call hooks: that they read no memory, always return, do not synchronise.
void withdraw_promises(llvm::Module& module);

/// A module that has been through here once, for example as bitcode.
bool is_done(const llvm::Module& module);

}  // namespace treadle
