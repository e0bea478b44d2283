// SPDX-License-Identifier: Apache-2.0
// All branches of a file, for --coverage: a table of where they are and where each way leads, and a byte for each way.
//
// They are marked at the very start, when they are those that the user wrote (only negations are gone: `if (!done)` goes its "true" way
// when `done` holds). A copy that the inliner makes of a function, and prunes because it knows an argument, keeps the marks of the ways
// that are left: without that a branch would seem never to be reached although its function runs. Until the code is in its place a mark is
// a pseudo probe in a block of its own, which costs nothing and which no analysis minds.
#pragma once

#include <llvm/IR/Instruction.h>
#include <llvm/IR/PassManager.h>

#include <vector>

namespace treadle {

struct MarkBranches : llvm::PassInfoMixin<MarkBranches> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

/// A way is taken when this instruction is reached.
struct MarkedWay {
  llvm::Instruction* at;
  std::uint64_t number;
};

/// The marks become this list.
std::vector<MarkedWay> take_marked_ways(llvm::Module& module);

/// The code that tells (abi/branches.h).
void tell_ways(llvm::Module& module, const std::vector<MarkedWay>& ways);

}  // namespace treadle
