// SPDX-License-Identifier: Apache-2.0
// Which calls matter to a recording of control flow.
#pragma once

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InstrTypes.h>

namespace treadle {

/// A call of real code, ours or foreign: neither an intrinsic nor inline assembly.
bool is_real_call(const llvm::CallBase& call);

/// It may run code that is recorded, may block, or may not come back. Quiet library functions do not: the path goes on over them.
bool ends_path(const llvm::CallBase& call, const llvm::TargetLibraryInfo& library);

}  // namespace treadle
