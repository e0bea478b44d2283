// SPDX-License-Identifier: Apache-2.0
// What of a failing execution is worth keeping when the program changes, and how to find it again in the changed program.
#pragma once

#include "explore/runner.h"
#include "finding/finding.h"
#include "finding/symbols.h"
#include "trace/witness.h"

namespace treadle {

/// `trace` shows `finding`, by a schedule with these `races`.
Essence essence_of(const Trace& trace, const Finding& finding, const Symbols& symbols, Races races);

/// The same failure, as far as can be told across builds: the same kind in the same functions.
bool is_same_failure(const Finding& finding, const Essence& essence);

/// The schedule of this program that comes nearest to the essence: thread by thread each goes on until it has made the operation named, or
/// cannot go on. `common` says under which model and inputs.
Result<Schedule> follow(const Essence& essence, const Schedule& common, Runner& program, const Symbols& symbols);

}  // namespace treadle
