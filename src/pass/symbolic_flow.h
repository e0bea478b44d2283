// SPDX-License-Identifier: Apache-2.0
// Which values of a function can have an expression at all, being made of what was read, handed in or returned, and of those, for which it
// matters, because they reach memory, a branch, a call or a return. The rest (counters, hashes of loops that may spin) costs nothing.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Function.h>

namespace treadle {

class SymbolicFlow {
 public:
  explicit SymbolicFlow(llvm::Function& function);

  bool is_symbolic(const llvm::Value* value) const { return symbolic_.contains(value); }
  /// It reaches something that looks at it, by way of computations or at once.
  bool is_needed(const llvm::Value* value) const { return needed_.contains(value); }
  bool has_symbolic_operand(const llvm::Instruction& instruction) const;

 private:
  void find_needed(const llvm::Function& function);
  void find_symbolic(const llvm::Function& function);

  llvm::DenseSet<const llvm::Value*> needed_, symbolic_;
};

/// Values come from here: reads, results of calls.
bool is_source_of_expressions(const llvm::Instruction& instruction);
/// What it is handed has no influence on what the program does, or has been seen to elsewhere.
bool ignores_expressions(const llvm::Instruction& instruction);

}  // namespace treadle
