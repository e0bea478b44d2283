// SPDX-License-Identifier: Apache-2.0
// An execution whose plain accesses were no steps, as if they had been: each has a decision of its own, marked as Mark::Plain. Whatever the
// memory model, such a store is in memory at once: it neither goes into the store buffer of its thread nor waits for it to be empty.
#pragma once

#include "trace/trace.h"

namespace treadle {

/// Recorded with plain accesses, under Races::Stop or Ignore.
Trace with_plain_steps(const Trace& trace);

}  // namespace treadle
