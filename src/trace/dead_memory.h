// SPDX-License-Identifier: Apache-2.0
// What a store to a stack has overwritten may be what a function that has returned left there: the program's, or one that keeps books. It is
// nobody's value, and need not be the same again.
#pragma once

#include "abi/shared_block.h"
#include "trace/trace.h"

namespace treadle {

inline bool may_overwrite_garbage(const Event& event) {
  return event.kind == TREADLE_EV_WRITE && event.address >= TREADLE_AT_STACKS && event.address < TREADLE_AT_HEAP;
}

}  // namespace treadle
