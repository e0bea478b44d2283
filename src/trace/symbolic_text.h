// SPDX-License-Identifier: Apache-2.0
// A symbolic Trace for people, as the papers print it: see guarded_assignments.h.
#pragma once

#include <string>

#include "trace/names.h"
#include "trace/trace.h"

namespace treadle {

enum class SymbolicForm { GuardedAssignments, StaticSingleAssignment };

/// A line for each event: "t3: <0.1, (assume(true), {x := r1 + 2})>", with its place in the source.
std::string symbolic_text(const Trace& trace, SymbolicForm form, const SymbolSource* symbols = nullptr);

}  // namespace treadle
