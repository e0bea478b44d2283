// SPDX-License-Identifier: Apache-2.0
// A trace that ended because nobody could go on, with what everybody waited for added as if it had come: in another order it may.
#pragma once

#include "trace/trace.h"

namespace treadle {

Trace with_pending_steps(const Trace& trace);

}  // namespace treadle
