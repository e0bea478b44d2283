// SPDX-License-Identifier: Apache-2.0
// Calls of foreign code that touches, on the caller's behalf, memory that can be told from the call: texts that are printed or parsed,
// arrays that are sorted, streams.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include "pass/sharing.h"

namespace treadle {

/// Announces, in front of the call, what it is going to touch. It stays a call of foreign code in every other way.
void announce_foreign_accesses(llvm::CallBase& call, Sharing& sharing);

}  // namespace treadle
