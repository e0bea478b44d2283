// SPDX-License-Identifier: Apache-2.0
// Deadlocks that a trace implies: all threads of a ring stand at their waits, each holding what the one before it waits for.
#pragma once

#include "predict/lock_rings.h"
#include "predict/race.h"

namespace treadle {

/// One prediction for each group at most.
Predictions predict_deadlocks(const Trace& trace, TraceModel& model, const RingCandidates& candidates, const KeepAsking& keep_asking);

}  // namespace treadle
