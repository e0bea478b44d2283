// SPDX-License-Identifier: Apache-2.0
// `treadle replay --step`: an execution event by event, each with the source line it comes from.
#pragma once

#include <vector>

#include "finding/symbols.h"
#include "subject/debug.h"
#include "trace/trace.h"

namespace treadle {

/// Waits for Enter after each step when standard input is a terminal ("q" ends the walk); prints all otherwise.
void walk_through(const Trace& trace, const Symbols& symbols);

/// The same for the user of a debugger.
std::vector<DebugEvent> told_by(const Trace& trace, const Symbols& symbols);

}  // namespace treadle
