// SPDX-License-Identifier: Apache-2.0
// Calls of the functions in abi/hooks.h, as IR.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace treadle {

/// Marks a native access that a range hook in front of it has announced.
inline constexpr const char* announced_mark = "treadle.announced";

/// Calls `name(arguments)`. Hooks never throw, may block, and must stay calls: the runtime takes the place in the program from the
/// return address, so none may become a jump.
llvm::CallInst* call_hook(llvm::IRBuilder<>& at, llvm::StringRef name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments);

void announce_read(llvm::IRBuilder<>& at, llvm::Value* pointer, llvm::Value* bytes);
void announce_write(llvm::IRBuilder<>& at, llvm::Value* pointer, llvm::Value* bytes);
void announce_fence(llvm::IRBuilder<>& at, llvm::AtomicOrdering order);

/// C11 numbering of memory orders.
int order_number(llvm::AtomicOrdering order);

bool is_hook(const llvm::Function& function);

/// An insertion point in front of `instruction` whose calls carry its source position, or the nearest one known.
struct Before : llvm::IRBuilder<> {
  explicit Before(llvm::Instruction& instruction);
};

void mark_announced(llvm::Instruction& native);
bool is_announced(const llvm::Instruction& native);

}  // namespace treadle
