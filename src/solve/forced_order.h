// SPDX-License-Identifier: Apache-2.0
// Order that conditions and locks force, whatever else happens: more of what must come before what, found before anything is encoded.
//
// Who goes on behind a condition on something it has read comes behind whatever all writers have in common that could have left a value
// with which it holds: who finds a flag set comes behind who alone sets it. Who must find something else than what was there at the start
// comes behind the first write of all, which none makes who has found something else himself. And who is in a critical section comes
// behind the end of any other section of the same lock of which something must come before it.
//
// Everything here is necessary, so that answers stay the same. They become cheaper: most pairs that look like races and are none, because
// a flag hands the data over, are decided by it without solver.
#pragma once

#include <span>

#include "solve/lock_sections.h"
#include "solve/symbolic_trace.h"

namespace treadle {

/// Adds to Unit::must.
void add_forced_order(const SymbolicTrace& symbolic, std::span<const LockSection> sections, Units& units);

}  // namespace treadle
