// SPDX-License-Identifier: Apache-2.0
// Where the program goes because of what it has read.
#pragma once

#include <llvm/IR/Instructions.h>

namespace treadle {

class SymbolicFunction;

void follow_branch(SymbolicFunction& function, llvm::BranchInst& branch);
void follow_switch(SymbolicFunction& function, llvm::SwitchInst& choice);

}  // namespace treadle
