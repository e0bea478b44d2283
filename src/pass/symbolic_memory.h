// SPDX-License-Identifier: Apache-2.0
// Accesses: the ones hooks make, the ones made natively, and those of many bytes at once.
#pragma once

#include <llvm/IR/IntrinsicInst.h>

#include <optional>

namespace treadle {

class SymbolicFunction;

enum class AccessKind { Load, Store, Rmw, Cas };

/// A call of a hook that makes an access.
struct HookedAccess {
  AccessKind kind;
  unsigned bytes;
};
std::optional<HookedAccess> hooked_access(const llvm::CallBase& call);

bool is_range_hook(const llvm::CallBase& call);
/// Asks how far a library function will look.
bool is_extent_hook(const llvm::CallBase& call);

/// A native read of an argument of this variadic function, or of the list of them: the caller has pinned it.
bool is_variadic_slot(const llvm::LoadInst& load);

void follow_hooked_access(SymbolicFunction& function, llvm::CallBase& call);
void follow_range_hook(SymbolicFunction& function, llvm::CallBase& call);
void follow_extent_hook(SymbolicFunction& function, llvm::CallBase& call);
void follow_load(SymbolicFunction& function, llvm::LoadInst& load);
void follow_store(SymbolicFunction& function, llvm::StoreInst& store);
/// Made on private memory.
void follow_native_atomic(SymbolicFunction& function, llvm::Instruction& atomic);
void follow_memory_intrinsic(SymbolicFunction& function, llvm::AnyMemIntrinsic& call);

/// memcpy, memset and their kin, called by name. False when it is none of them.
bool follow_memory_function(SymbolicFunction& function, llvm::CallBase& call);
bool is_memory_function(const llvm::CallBase& call);

}  // namespace treadle
