// SPDX-License-Identifier: Apache-2.0
// What ran on one core is ordered, whoever ran it (H3, Section 6.3.4 of the seed). Recordings of a processor's trace know it: where a core
// went over from one thread to another, what the second does from there on comes behind what the first had done by then.
#pragma once

#include "reproduce/ways.h"

namespace treadle {

/// Adds gates to `ways`: returns how many.
std::size_t add_core_order(const PtFlow& flow, const RecordedRun& recording, Ways& ways);

}  // namespace treadle
