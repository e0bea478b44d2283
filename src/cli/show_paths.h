// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options.h"

namespace treadle {

/// `treadle show --paths`: the path tree of a result, or of a folder of kept executions.
int show_paths(const Options& options);

}  // namespace treadle
