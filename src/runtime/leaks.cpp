// SPDX-License-Identifier: Apache-2.0
#include "runtime/heap_state.h"
#include "runtime/scheduler.h"

namespace treadle {

void heap_execution_end() noexcept {}

}  // namespace treadle
