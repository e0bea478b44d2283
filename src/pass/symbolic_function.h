// SPDX-License-Identifier: Apache-2.0
// One function while its expressions are threaded through it.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Instructions.h>

#include "abi/symbolic.h"
#include "pass/symbolic_failures.h"
#include "pass/symbolic_flow.h"
#include "pass/symbolic_operations.h"

namespace treadle {

class SymbolicFunction {
 public:
  SymbolicFunction(llvm::Function& function, const Failures& failures);
  void rewrite();

  llvm::Function& function() { return function_; }
  const llvm::DataLayout& layout() const { return function_.getDataLayout(); }
  const SymbolicFlow& flow() const { return flow_; }
  const Failures& failures() const { return failures_; }

  /// The expression of a scalar, null when it can have none.
  llvm::Value* expression_of(llvm::Value* value) { return expressions_of_leaves(value).front(); }
  ExpressionsOfLeaves expressions_of_leaves(llvm::Value* value);
  void set(llvm::Value* value, ExpressionsOfLeaves expressions) { expressions_[value] = std::move(expressions); }

  // What goes in front of an instruction. `make` is called with a builder where the condition holds, and may return an expression, which
  // is 0 where it does not hold.
  using Make = llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&)>;
  using MakeSeveral = llvm::function_ref<ExpressionsOfLeaves(llvm::IRBuilder<>&)>;
  void if_expression(llvm::Instruction& before, llvm::Value* expression, Make make);
  llvm::Value* when_recording(llvm::Instruction& before, Make make);
  ExpressionsOfLeaves when_recording_several(llvm::Instruction& before, MakeSeveral make);

  void pin(llvm::Instruction& before, llvm::Value* value, TreadlePin reason);
  /// All operands, each for the reason its type gives, or this one.
  void pin_operands(llvm::Instruction& instruction, TreadlePin reason);
  /// In front of an access.
  void check_address(llvm::Instruction& before, llvm::Value* pointer, llvm::Value* bytes);
  void check_beginning(llvm::Instruction& before, llvm::Value* pointer);

  /// Decided before anything was rewritten: does the memory need no hook?
  struct Privacy {
    bool source, target;
  };
  Privacy privacy_of(const llvm::CallBase& call) const { return privacy_.lookup(&call); }
  /// Of memory passed by value.
  bool is_private_copy(const llvm::CallBase& call, unsigned argument) const { return private_copies_.contains({&call, argument}); }

 private:
  void follow(llvm::Instruction& instruction);
  void follow_phi(llvm::PHINode& phi);
  void follow_division(llvm::Instruction& division);
  void complete_phis();
  void emit_group(llvm::Instruction& before);
  bool is_all_moves() const;

  llvm::Function& function_;
  const Failures& failures_;
  SymbolicFlow flow_;
  llvm::DenseMap<const llvm::CallBase*, Privacy> privacy_;
  llvm::DenseSet<std::pair<const llvm::CallBase*, unsigned>> private_copies_;
  llvm::DenseMap<llvm::Value*, ExpressionsOfLeaves> expressions_;
  llvm::SmallVector<llvm::Instruction*, 8> group_;  // operations whose expressions are still to be made
  llvm::SmallVector<llvm::PHINode*, 8> phis_;
};

}  // namespace treadle
