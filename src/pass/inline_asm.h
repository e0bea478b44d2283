// SPDX-License-Identifier: Apache-2.0
// Inline assembly and processor intrinsics: harmless, a fence, or something we cannot look into.
#pragma once

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicInst.h>

namespace treadle {

void hook_inline_asm(llvm::CallBase& call, const llvm::InlineAsm& code);
void hook_processor_intrinsic(llvm::IntrinsicInst& call);

bool is_processor_intrinsic(const llvm::IntrinsicInst& call);

}  // namespace treadle
