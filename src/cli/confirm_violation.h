// SPDX-License-Identifier: Apache-2.0
// An atomicity violation is believed when a second run by the exact decisions shows it again.
#pragma once

#include <optional>

#include "explore/runner.h"
#include "finding/symbols.h"
#include "predict/atomicity_finding.h"

namespace treadle {

/// In full, with stacks and witness; nothing: the second run did not show it. `again` is its trace.
Result<std::optional<Finding>> confirm_violation(const AtomicityViolation& seen, const Schedule& exact, Runner& program,
                                                 const Symbols& symbols, bool critical_sections, Trace& again);

}  // namespace treadle
