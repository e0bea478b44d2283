// SPDX-License-Identifier: Apache-2.0
// Traces in which threads went round spin loops in vain, seen as ones in which they do so at the end: can that be for ever?
#pragma once

#include <vector>

#include "trace/spinning.h"
#include "trace/trace.h"

namespace treadle {

struct SpinningEnd {
  Trace trace;
  std::vector<Spinning> spinning;
};

/// For each of the last iterations that led nowhere: its thread stays there (followed_iteration.h), together with those that were in one
/// when the trace ended; and with all that were in one before. Loops that look at something else than memory are left out.
std::vector<SpinningEnd> spinning_ends(const Trace& trace, MemoryModel model, Races races);

}  // namespace treadle
