// SPDX-License-Identifier: Apache-2.0
// Futex calls by way of `syscall`, as far as their arguments are known here.
#pragma once

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace treadle {

/// It wakes, or waits with no time limit that somebody may have written: it touches no memory but in its visible operation, which waits for
/// stores by itself.
bool is_plain_futex_call(const llvm::CallBase& call);

/// It waits, if the word has the value of this argument. Null: it is another call.
llvm::Value* expected_by_futex_call(const llvm::CallBase& call);

/// Who does not ask how many it woke: nothing that follows depends on that, so it need not differ either.
void ignore_futex_results(llvm::Module& module);

}  // namespace treadle
