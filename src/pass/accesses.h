// SPDX-License-Identifier: Apache-2.0
// Loads, stores, atomics and fences become the hooks that make them.
#pragma once

#include <llvm/IR/Instructions.h>

namespace treadle {

void hook_load(llvm::LoadInst& load);
void hook_store(llvm::StoreInst& store);
void hook_rmw(llvm::AtomicRMWInst& rmw);
void hook_compare_exchange(llvm::AtomicCmpXchgInst& exchange);
void hook_fence(llvm::FenceInst& fence);

}  // namespace treadle
