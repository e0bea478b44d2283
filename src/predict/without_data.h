// SPDX-License-Identifier: Apache-2.0
// A trace in which all values are equal (appendix A of Wang, Limaye, Ganai and Gupta 2010): any read may come after any write, and every
// branch goes the way it went. Synchronisation keeps its meaning. What this implies need not be possible.
#pragma once

#include "trace/trace.h"

namespace treadle {

Trace without_data(const Trace& trace);

}  // namespace treadle
