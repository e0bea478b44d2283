// SPDX-License-Identifier: Apache-2.0
// Where memory changes hands between code with hooks and code without. Under a weak memory model stores may still be on their way to memory
// when the program calls a library that looks at it, returns to a library that called it back, or leaves the frame they were made to. The
// runtime is told, and waits for them or drops them.
#pragma once

#include <llvm/IR/Instructions.h>

#include "pass/sharing.h"

namespace treadle {

/// The call may lead into code without hooks: only the runtime can tell.
bool may_call_foreign_code(const llvm::CallBase& call);
void hook_foreign_call(llvm::CallBase& call);

/// The locals that other threads may see, before accesses to them are rewritten.
llvm::SmallVector<llvm::AllocaInst*, 8> shared_locals(llvm::Function& function, Sharing& sharing);
/// Tells when their lives end, and when a function that a library may have called returns.
void hook_leaving(llvm::Function& function, llvm::ArrayRef<llvm::AllocaInst*> locals);

}  // namespace treadle
