// SPDX-License-Identifier: Apache-2.0
// What touches more than one value at once: memory intrinsics, library functions on memory and strings, arguments passed by value.
#pragma once

#include <llvm/IR/IntrinsicInst.h>

#include "pass/sharing.h"

namespace treadle {

void hook_memory_intrinsic(llvm::AnyMemIntrinsic& call, Sharing& sharing);
void hook_masked_access(llvm::IntrinsicInst& call, Sharing& sharing);
void hook_by_value_arguments(llvm::CallBase& call, Sharing& sharing);
void hook_library_call(llvm::CallBase& call, Sharing& sharing);

bool is_masked_access(const llvm::IntrinsicInst& call);
bool is_library_access(const llvm::CallBase& call);

}  // namespace treadle
