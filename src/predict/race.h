// SPDX-License-Identifier: Apache-2.0
// Data races that a trace implies (Huang 2015, 3.1.3): two accesses that can be the next steps of their threads at once, or that nothing
// orders though something always comes between them (unordered.h).
#pragma once

#include <functional>
#include <span>

#include "predict/prediction.h"
#include "predict/race_candidates.h"
#include "solve/trace_model.h"

namespace treadle {

/// Called before each question; false: ask no more.
using KeepAsking = std::function<bool()>;

/// At most so many `ways` for each group.
Predictions predict_races(const Trace& trace, TraceModel& model, std::span<const RaceGroup> groups, const KeepAsking& keep_asking,
                          std::uint32_t ways = most_of_a_group);

}  // namespace treadle
