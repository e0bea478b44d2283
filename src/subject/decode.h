// SPDX-License-Identifier: Apache-2.0
// From the guest's records to a Trace. Every number is foreign input: the program may have written over its half of the block.
#pragma once

#include "base/result.h"
#include "subject/shared_memory.h"
#include "trace/trace.h"

namespace treadle {

/// False: the records make no sense, the program has destroyed them; `out` then holds what could be saved.
bool decode(const SharedMemory& memory, unsigned job, bool choices_recorded, Trace& out);

}  // namespace treadle
