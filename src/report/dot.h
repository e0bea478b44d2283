// SPDX-License-Identifier: Apache-2.0
// An execution as a graph for GraphViz, as the papers draw them: a column for each thread in program order, reads-from, and what
// synchronisation orders.
#pragma once

#include <string>

#include "finding/symbols.h"
#include "trace/trace.h"

namespace treadle {

std::string dot_of(const Trace& trace, const Symbols* symbols = nullptr);

}  // namespace treadle
