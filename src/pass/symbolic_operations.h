// SPDX-License-Identifier: Apache-2.0
// Instructions whose expression follows from those of their operands: they compute and do nothing else.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include "pass/symbolic_arithmetic.h"
#include "pass/symbolic_leaves.h"

namespace treadle {

/// One per leaf; null for none.
using ExpressionsOfLeaves = llvm::SmallVector<llvm::Value*, 2>;
using LookUp = llvm::function_ref<ExpressionsOfLeaves(llvm::Value*)>;

/// Phis are not among them: theirs need no call.
bool is_operation(const llvm::Instruction& instruction);
bool is_operation(const llvm::IntrinsicInst& call);

/// It only hands on expressions of its operands; `is_symbolic` says which operands may have one.
bool only_moves(const llvm::Instruction& instruction, llvm::function_ref<bool(const llvm::Value*)> is_symbolic);

bool is_division(const llvm::Instruction& instruction);

/// Makes the calls, where they are made only if some operand has an expression.
ExpressionsOfLeaves expressions_of(llvm::IRBuilder<>& at, llvm::Instruction& operation, LookUp look_up);
ExpressionsOfLeaves expressions_of(Arithmetic& arithmetic, llvm::IntrinsicInst& call, LookUp look_up);

/// A scalar operand.
Term term_of(llvm::IRBuilder<>& at, llvm::Value* value, LookUp look_up);

}  // namespace treadle
