// SPDX-License-Identifier: Apache-2.0
// An execution whose plain accesses were no steps, as if they had been: each has a decision of its own.
#pragma once

#include "trace/trace.h"

namespace treadle {

/// Recorded with plain accesses, under Races::Stop or Ignore.
Trace with_plain_steps(const Trace& trace);

}  // namespace treadle
