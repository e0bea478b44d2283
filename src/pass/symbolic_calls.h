// SPDX-License-Identifier: Apache-2.0
// Calls: what goes into a function, what comes out of it, and what library functions do with it.
#pragma once

#include <llvm/IR/Instructions.h>

namespace treadle {

class SymbolicFunction;

/// Its result may come with expressions: a function of the program, or one that is not known, or an input.
bool returns_expressions(const llvm::CallBase& call);

void follow_call(SymbolicFunction& function, llvm::CallBase& call);
void follow_entry(SymbolicFunction& function);
void follow_return(SymbolicFunction& function, llvm::ReturnInst& leave);

}  // namespace treadle
