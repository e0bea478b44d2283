// SPDX-License-Identifier: Apache-2.0
// What threads waited for when an execution ended, or were about to do.
#pragma once

#include "trace/trace.h"

namespace treadle {

/// It came to a standstill.
bool nobody_ended_it(Ending ending);

/// Was about to do something, and neither ended the execution nor was cut off by a limit: in another order it may have gone on.
bool may_go_on(const Trace& trace, const PendingOperation& pending);

/// With the locks, signals and tokens that these threads were about to take added at the end, as if they had come (marked_decisions.h).
/// There is at least one decision: an execution that ended before its first has one all the same.
Trace with_pending_steps(const Trace& trace);

}  // namespace treadle
