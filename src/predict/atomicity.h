// SPDX-License-Identifier: Apache-2.0
// Atomicity violations that a trace implies (Wang, Limaye, Ganai and Gupta 2010): somebody else's access can come between two of a region.
// The execution is followed up to the last of the three, and no further: what it leads to may well be a way that nobody has gone.
#pragma once

#include "predict/race.h"
#include "predict/triples.h"

namespace treadle {

/// A few predictions at most for each triple of places; `counts.real` counts all triples that can happen. `values`: only those in which the
/// three make a difference to each other (guarded independence).
Predictions predict_atomicity(const Trace& trace, TraceModel& model, std::span<const Triple> candidates, TripleCounts& counts,
                              const KeepAsking& keep_asking, bool values = false, std::uint32_t ways = most_of_a_group);

}  // namespace treadle
