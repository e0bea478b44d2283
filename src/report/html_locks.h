// SPDX-License-Identifier: Apache-2.0
// From where each lock is taken to where it is given back.
#pragma once

#include <vector>

#include "trace/locks.h"

namespace treadle {

struct LockSpan {
  Held held;
  std::uint64_t until = UINT64_MAX;  // the event that gave it back; UINT64_MAX: held to the end
};

/// In the order they were taken.
std::vector<LockSpan> lock_spans(const Trace& trace);

}  // namespace treadle
