// SPDX-License-Identifier: Apache-2.0
// Data races of libstdc++'s own headers. By the standard they are races, on no machine do they do harm, and no user can mend them: a
// program that is right would never be clean.
#pragma once

#include <llvm/IR/Module.h>

namespace treadle {

/// Before anything is inlined.
void mend_library_races(llvm::Module& module);

}  // namespace treadle
