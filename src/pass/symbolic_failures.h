// SPDX-License-Identifier: Apache-2.0
// Where a branch inevitably leads to a failure: `assert` becomes a branch around a call of __assert_fail. Looked for in the program as it
// is before expressions go in, through functions of the same file too (`static void die(void) { printf("…"); abort(); }`). Nothing on the
// way may block or end differently, so calls of all other functions end the search, except those that print.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Module.h>

#include "abi/symbolic.h"

namespace treadle {

class Failures {
 public:
  explicit Failures(const llvm::Module& module);

  /// What the block inevitably leads to; NOTHING when it leads on.
  TreadleGuarded beyond(const llvm::BasicBlock& block) const { return known_.lookup(&block); }

 private:
  TreadleGuarded judge(const llvm::BasicBlock& block) const;

  llvm::DenseMap<const llvm::BasicBlock*, TreadleGuarded> known_;
};

}  // namespace treadle
