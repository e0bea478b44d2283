// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options.h"
#include "trace/trace.h"

namespace treadle {

/// `treadle show --symbolic`: of a saved trace, or of one execution of a program.
int show_symbolic(const Options& options);

/// A trace of a symbolic build has expressions, and they say what the run did.
Result<Done> expressions_are_there(const Trace& trace);

}  // namespace treadle
