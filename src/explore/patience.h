// SPDX-License-Identifier: Apache-2.0
// Executions in which whoever failed let the others go on first (Policy::Patient).
#pragma once

#include <optional>

#include "trace/trace.h"

namespace treadle {

bool lets_others_go_first(const Trace& trace);

/// What was made until he failed; not what the others were about to do.
Trace until_it_failed(const Trace& trace);

/// As it would have been recorded had he not, for who looks at orders: without notes. None: that cannot be told from it.
std::optional<Trace> as_if_it_failed_at_once(const Trace& trace);

/// As it would have been recorded had the others gone, before his last step, as far as they went without needing it.
std::optional<Trace> as_if_it_failed_last(const Trace& trace, Races races, MemoryModel model);

}  // namespace treadle
