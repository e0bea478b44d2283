// SPDX-License-Identifier: Apache-2.0
// Which accesses no other thread can ever see, and which therefore need no hook.
//
// Memory is *private* when no pointer to it leaves the code we look at: locals that survived promotion, arguments passed by value,
// thread_local variables of this file, errno. The rule is stricter than "not captured": a call that is handed the address ends the privacy
// even if it promises to forget it, because the callee's accesses go through hooks and ours must then do so too. With a store
// buffer in between, half the accesses of an object made natively would read stale values.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>

namespace treadle {

class Sharing {
 public:
  bool is_private(const llvm::Value* pointer);

  /// Also true for what nobody can ever change.
  bool needs_no_read_hook(const llvm::Value* pointer) { return is_private(pointer) || is_constant(pointer); }

 private:
  bool is_private_object(const llvm::Value* object);
  static bool is_constant(const llvm::Value* pointer);

  llvm::DenseMap<const llvm::Value*, bool> known_;
};

}  // namespace treadle
