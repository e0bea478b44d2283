// SPDX-License-Identifier: Apache-2.0
// A finding is believed when a run by its exact decisions fails in the same way.
#pragma once

#include "explore/runner.h"
#include "finding/finding.h"
#include "finding/symbols.h"

namespace treadle {

/// Replays `schedule` (exact decisions) with everything recorded. When it fails as `finding` says: the finding in full, with stacks,
/// witness and `confirmed`; else the finding as it was, not confirmed. `detailed` is the trace of the last replay.
Result<Finding> confirm(Finding finding, const Schedule& schedule, Runner& program, const Symbols& symbols, bool leaks, Trace& detailed);

/// Below main and below a thread's function there is only how we and the libraries call them.
void drop_entry_frames(SourceStack& stack);

}  // namespace treadle
